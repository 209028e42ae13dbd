import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {drawSeed} from '../../src/payload/random.js';
import {resumeSettings} from '../../src/session/plan-battle.js';
import {publicSettings} from '../../src/settings/describe-settings.js';
import {allOptions, optionsOfBattle} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';
import {someOf} from '../support/effort.js';

/** @param {string} commandLine @param {Record<string, string>} environment */
function ask(commandLine, environment = {}) {
  const {flags} = readCommandLine(optionsOfBattle, commandLine.split(' ').filter(Boolean));
  const asked = resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, flags, environment});
  return resolveBattle(asked, {payloadFileBytes: null, seed: drawSeed()});
}

/** What the journal has of a battle. @param {string} commandLine */
const stored = (commandLine) => JSON.parse(JSON.stringify(publicSettings(ask(commandLine))));

/** @type {{began: string, given: string, environment?: Record<string, string>, values: Record<string, unknown>}[]} */
const resumed = [
  {began: '--rounds 7', given: '--resume', values: {rounds: 7, resume: true}},
  {began: '--rounds 7', given: '--resume', environment: {PB_ROUNDS: '3'}, values: {rounds: 7}},
  {began: '--budget 10m', given: '--resume', values: {budgetMs: 600_000, rounds: null}},
  {began: '--budget 10m', given: '--resume --budget 1m', values: {budgetMs: 60_000}},
  {began: '--rounds 7', given: '--resume', values: {budgetMs: null, precision: null}},
  {began: '--seed 5', given: '--resume', values: {seed: 5}},
  {began: '', given: '--resume --bands', values: {bands: true}},
  {began: '--bands', given: '--resume', values: {bands: true}},
  {began: '--bands', given: '--resume --no-bands', values: {bands: false}},
  {began: '--export hlog', given: '--resume', values: {exports: ['hlog']}},
  {began: '--export hlog', given: '--resume --export endurox', values: {exports: ['endurox']}},
  {began: '--json --quiet', given: '--resume', values: {json: false, quiet: false}},
  {began: '', given: '--resume --json --quiet', values: {json: true, quiet: true}},
  {began: '--results a.md', given: '--resume --results b.md', values: {results: 'b.md'}},
  {began: '--rabbitmq-host h', given: '--resume', values: {rabbitmqHost: 'h'}},
];

for (const {began, given, environment, values} of resumed) {
  test(`a battle begun with "${began}" and continued with "${given}" has ${JSON.stringify(values)}`, () => {
    const settings = resumeSettings(ask(given, environment), stored(began));
    for (const [key, value] of Object.entries(values))
      assert.deepEqual(/** @type {Record<string, unknown>} */ (settings.values)[key], value, key);
  });
}

test('a resumed battle of choose keeps its question', () => {
  const values = {...ask('').values, p99Ms: 5};
  const began = publicSettings({values, origins: /** @type {any} */ ({}), warnings: []});
  assert.equal(began.p99Ms, 5);
  const resumed = /** @type {Record<string, unknown>} */ (resumeSettings(ask('--resume'), began).values);
  assert.equal(resumed.p99Ms, 5);
  assert.ok(!('p99Ms' in stored('')));
});

test('a resumed battle keeps the seed that was drawn for it', () => {
  const began = stored('');
  assert.equal(resumeSettings(ask('--resume'), began).values.seed, began.seed);
});

for (const {name} of someOf(optionsOfBattle.filter(({resumable}) => !resumable))) {
  test(`--resume refuses --${name}, which would change what is measured`, () => {
    const settings = ask('--resume');
    const option = optionsOfBattle.find((candidate) => candidate.name === name);
    const key = /** @type {'rounds'} */ (option?.key);
    const origins = {...settings.origins, [key]: {kind: /** @type {const} */ ('flag'), name: `--${name}`}};
    const resume = () => resumeSettings({...settings, origins}, stored(''));
    // The journal does not keep it.
    if (!(key in stored(''))) assert.equal(resume().values[key], option?.battleDefault);
    else assert.throws(resume, {code: 'PB_USAGE', message: new RegExp(`, so --${name} cannot be changed`)});
  });
}
