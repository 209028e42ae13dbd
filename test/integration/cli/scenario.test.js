import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, test} from 'node:test';
import {resolveOptions} from '../../../src/options/resolve.js';
import {readConfig, readScenario} from '../../../src/settings/given.js';
import {allOptions, optionsOfBattle} from '../../../src/settings/index.js';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perf-battle-scenario-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

/** @param {unknown} content */
const writeJson = (content) =>
  writeFileSync(join(folder, 'perf-battle.config.json'), JSON.stringify(content));

test('a scenario of a JSON file gives settings, below flags and variables', async () => {
  writeJson({scenarios: {nightly: {transport: ['http', 'tcp'], payload: '1kb', rounds: 10, quick: true}}});
  const given = await readScenario('nightly', folder);
  const {values, origins} = resolveOptions(allOptions, {
    ...{scope: 'battle', mine: optionsOfBattle, given},
    flags: {rounds: ['3']},
    envFile: {PB_QUICK: 'off'},
  });
  assert.deepEqual(values.transport, ['http', 'tcp']);
  assert.deepEqual([values.rounds, values.quick], [3, false]);
  assert.deepEqual(origins.payloadBytes, {
    kind: 'scenario',
    name: 'payload in scenario "nightly" of perf-battle.config.json',
  });
});

test('so does one of a module, which comes before a JSON file', async () => {
  writeJson({scenarios: {}});
  const code = 'const rounds = 2 + 2;\nexport default {scenarios: {small: {rounds}}};\n';
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'perf-battle.config.js'), code);
  assert.deepEqual((await readScenario('small', folder)).texts, {rounds: ['4']});
});

test('what is not JSON is refused without the part of it that may have a password', async () => {
  writeFileSync(join(folder, 'perf-battle.config.json'), '{"broker": amqp://u:s3cret@h}');
  await assert.rejects(readScenario('nightly', folder), ({message}) => {
    assert.match(
      message,
      /json, line 1, cannot be used: SyntaxError: Unexpected token 'a': the file is not valid JSON/,
    );
    assert.doesNotMatch(message, /u:s/);
    return true;
  });
});

test('what cannot be used is refused, with the file and the reason', async () => {
  const refuses = async (/** @type {RegExp} */ message) =>
    await assert.rejects(readScenario('nightly', folder), {code: 'PB_USAGE', message});
  await refuses(/--scenario needs a file perf-battle\.config\.js or perf-battle\.config\.json/);
  writeFileSync(join(folder, 'perf-battle.config.json'), '{"scenarios":');
  await refuses(/perf-battle\.config\.json, line 1, cannot be used: SyntaxError/);
  for (const [content, message] of /** @type {const} */ ([
    [[], /perf-battle\.config\.json must be an object/],
    [{}, /"scenarios" in perf-battle\.config\.json must be an object/],
    [{scenarios: {}}, /has no scenario "nightly"\. It has: none\./],
    [
      {scenarios: {nightlies: {}}},
      /has no scenario "nightly"\. Did you mean nightlies\? It has: nightlies\./,
    ],
    [{scenarios: {nightly: '1kb'}}, /scenario "nightly" of perf-battle\.config\.json must be an object/],
    [{scenarios: {nightly: {payloads: '1kb'}}}, /"payloads" is not a setting of scenario "nightly" of/],
    [{scenarios: {nightly: {rounds: null}}}, /rounds of scenario "nightly" of .* must be text, a number/],
  ])) {
    writeJson(content);
    await refuses(message);
  }
  writeFileSync(join(folder, 'perf-battle.config.js'), 'module.exports = {};');
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  await refuses(/perf-battle\.config\.js, line 1, cannot be used: ReferenceError: module is not defined/);
});

test('a mistake in a config file is an error with its line, also if nothing asks for the file', async () => {
  const refuses = async (
    /** @type {string} */ file,
    /** @type {string} */ text,
    /** @type {RegExp} */ message,
  ) => {
    writeFileSync(join(folder, file), text);
    await assert.rejects(readConfig(folder), {code: 'PB_USAGE', message});
    rmSync(join(folder, file));
  };
  assert.equal(await readConfig(folder), null);
  for (const [text, line] of /** @type {const} */ ([
    ['', 1],
    ['{bad', 1],
    ['{"scenarios": {},\n\n"transports": lines}\n', 3],
    ['{"scenarios": {\n"small": {"rounds": 3}\n\n\n', 5],
    ['{"scenarios": {"a\nb": {}}}', 1],
    ['{"scenarios": {}}\n}', 2],
    // The error of Node.js 20 quotes the line break.
    ['{"scenarios": tru\n}', 1],
  ]))
    await refuses(
      'perf-battle.config.json',
      text,
      new RegExp(
        `^${join(folder, 'perf-battle.config.json')}, line ${line}, cannot be used: SyntaxError.*A config file has the form`,
      ),
    );
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  for (const text of ['export default {\n  scenarios: no,\n};', 'export default {\n  scenarios {},\n};'])
    await refuses('perf-battle.config.js', text, /config\.js, line 2, cannot be used: \w+Error/);
});

test('a config file of code is loaded only for what a setting names', async () => {
  const loaded = '__perfBattleConfigLoaded';
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'perf-battle.config.js'), `globalThis.${loaded} = true;\nexport default {};\n`);
  assert.equal(await readConfig(folder, {mayLoadCode: false}), null);
  assert.equal(loaded in globalThis, false);
  await readConfig(folder);
  assert.equal(loaded in globalThis, true);
  rmSync(join(folder, 'perf-battle.config.js'));
  writeFileSync(join(folder, 'perf-battle.config.json'), '{bad');
  await assert.rejects(readConfig(folder, {mayLoadCode: false}), {code: 'PB_USAGE'});
});

test('a config file with another name in it is refused, with what it may have', async () => {
  for (const [name, advice] of /** @type {const} */ ([
    ['scenario', /may have scenarios and transports; it has "scenario"\. Did you mean scenarios\?$/],
    [
      'rounds',
      /it has "rounds"\. A setting belongs in a scenario: \{"scenarios": \{"nightly": \{"rounds": …\}\}\}\.$/,
    ],
    ['nosuch', /it has "nosuch"\.$/],
  ])) {
    writeJson({[name]: 3});
    await assert.rejects(readConfig(folder), {code: 'PB_USAGE', message: advice});
  }
});
