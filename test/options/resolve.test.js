import assert from 'node:assert/strict';
import {test} from 'node:test';
import {UsageError} from '../../src/errors.js';
import {isAskedFor, resolveOptions} from '../../src/options/resolve.js';
import {maskRefused} from '../../src/options/show-option.js';
import {allOptions, optionsOfBattle, optionsOfTransport} from '../../src/settings/index.js';
import {transportNamed} from '../../src/transports/index.js';

/** @import {GivenTexts} from '../../src/options/contract.js' */

/**
 * @typedef {{flags?: Record<string, string[]>, environment?: Record<string, string | undefined>, envFile?: Record<string, string>, given?: GivenTexts,
 *   guestVariables?: readonly string[]}} Sources
 */

/** @param {Sources} sources */
const battle = (sources) => resolveOptions(allOptions, {scope: 'battle', mine: optionsOfBattle, ...sources});

/** @param {Sources} sources */
const script = (sources) =>
  resolveOptions(allOptions, {
    scope: 'script',
    mine: optionsOfTransport(transportNamed('rabbitmq')),
    ...sources,
  });

test('a flag wins over the environment, that over .env, that over a scenario, that over the default', () => {
  const flags = {rounds: ['9']};
  const environment = {PB_ROUNDS: '8'};
  const envFile = {PB_ROUNDS: '7'};
  const rounds = (/** @type {any} */ sources) => {
    const {values, origins} = battle(sources);
    return [values.rounds, origins.rounds.kind];
  };
  assert.deepEqual(rounds({flags, environment, envFile}), [9, 'flag']);
  assert.deepEqual(rounds({environment, envFile}), [8, 'environment']);
  const given = {
    texts: {rounds: ['6']},
    originOf: () => ({kind: 'scenario', name: 'rounds in scenario "a"'}),
  };
  assert.deepEqual(rounds({envFile, given}), [7, '.env']);
  assert.deepEqual(rounds({given}), [6, 'scenario']);
  assert.deepEqual(rounds({}), [null, 'default']);
});

test('a value is asked for unless it comes from a default or a preset', () => {
  const kinds = /** @type {const} */ ([
    'flag',
    'environment',
    '.env',
    'scenario',
    'journal',
    'default',
    'preset',
  ]);
  const asked = kinds.filter((kind) => isAskedFor({kind, name: ''}));
  assert.deepEqual(asked, ['flag', 'environment', '.env', 'scenario', 'journal']);
});

test('an empty variable counts as unset', () => {
  assert.equal(battle({environment: {PB_ROUNDS: ''}, envFile: {PB_ROUNDS: '7'}}).values.rounds, 7);
});

test('the battle takes lists with commas and repeats where a script takes one value', () => {
  assert.deepEqual(battle({flags: {payload: ['1kb,2kb', '4kb']}}).values.payloadBytes, [1024, 2048, 4096]);
  assert.equal(script({environment: {PB_PAYLOAD_BYTES: '102400'}}).values.payloadBytes, 102_400);
  assert.throws(() => script({environment: {PB_PAYLOAD_BYTES: '1kb,2kb'}}), UsageError);
});

test('the defaults are those of the published set-up for a script, and all sizes and modes for the battle', () => {
  const {values} = script({});
  assert.deepEqual(
    [
      values.payloadBytes,
      values.deliveryMode,
      values.exchange,
      values.queue,
      values.heartbeatSeconds,
      values.serverPort,
    ],
    [1024, 1, 'exchange-perf-battle', 'queue-perf-battle', 10, 3000],
  );
  const ofBattle = battle({}).values;
  assert.deepEqual(ofBattle.payloadBytes, [1024, 102_400, 512_000, 1_024_000]);
  assert.deepEqual(ofBattle.deliveryMode, [1, 2]);
  assert.deepEqual(ofBattle.transport, ['tcp', 'http', 'websocket', 'rabbitmq']);
});

for (const option of optionsOfBattle) {
  test(`a malformed ${option.environmentName} names the option, its source, the value and what is allowed`, () => {
    const malformed = 'a\u0001b';
    const expected = (/** @type {string} */ source) => (/** @type {Error} */ error) => {
      assert.ok(error instanceof UsageError, String(error));
      assert.equal(error.exitCode, 2);
      assert.ok(error.message.includes(source), error.message);
      assert.ok(error.message.includes(option.type.allowed.slice(0, 20)), error.message);
      const isShown = maskRefused(option, malformed) === malformed;
      assert.equal(error.message.includes(JSON.stringify(malformed)), isShown);
      return true;
    };
    const {name, environmentName} = option;
    assert.throws(() => battle({flags: {[name]: [malformed]}}), expected(`--${name}`));
    assert.throws(() => battle({environment: {[environmentName]: malformed}}), expected(environmentName));
    assert.throws(
      () => battle({envFile: {[environmentName]: malformed}}),
      expected(`${environmentName} in .env`),
    );
  });
}

test('an unknown flag is refused with the nearest one', () => {
  assert.throws(() => battle({flags: {nosuch: ['']}}), /--nosuch is not an option/);
  assert.throws(() => battle({flags: {paylod: ['1kb']}}), /--payload\?/);
});

test('a script refers to its --help', () => {
  assert.throws(() => script({flags: {nosuch: ['']}}), {
    message: '--nosuch is not an option of this script. See --help for all of them.',
  });
});

test('an unknown PB_ name is an error in .env and a warning in the environment, with the nearest one', () => {
  assert.throws(
    () => battle({envFile: {PB_PAYLOAD_BYTE: '1'}}),
    /PB_PAYLOAD_BYTE in \.env.*PB_PAYLOAD_BYTES/,
  );
  // The name of the flag with PB_ before it may be another name than that of the variable.
  for (const name of ['PB_PAYLOD', 'PB_PAYLAOD_BYTES', 'PB_PAYLOAD']) {
    assert.throws(
      () => battle({envFile: {[name]: '1'}}),
      new RegExp(
        `^UsageError: ${name} in \\.env is not .*\\. Did you mean PB_PAYLOAD_BYTES\\? perf-battle help options `,
      ),
    );
    const [warning] = battle({environment: {[name]: '1'}}).warnings;
    assert.match(warning, new RegExp(`^${name} in .* Did you mean PB_PAYLOAD_BYTES\\?$`));
  }
  const {warnings} = battle({environment: {PB_RABBITMQ_QUEU: 'x', PATH: '/bin'}});
  assert.equal(warnings.length, 1);
  assert.match(warnings[0], /PB_RABBITMQ_QUEU .*PB_RABBITMQ_QUEUE/);
});

test('.env may have the variables of a transport of the user', () => {
  const envFile = {PB_HEXAGON_ENCODING: 'hex'};
  assert.throws(
    () => battle({envFile}),
    /If a transport of yours has it, name that transport in PB_TRANSPORT\./,
  );
  assert.deepEqual(battle({envFile, guestVariables: ['PB_HEXAGON_ENCODING']}).warnings, []);
  assert.throws(
    () => battle({envFile: {PB_RUONDS: '1'}, guestVariables: ['PB_HEXAGON_ENCODING']}),
    /PB_ROUNDS\?/,
  );
});

test('a flag that takes one value is refused when it is given twice', () => {
  assert.throws(
    () => battle({flags: {rounds: ['1', '2']}}),
    /--rounds takes one value; it was given 2 times/,
  );
});

test('a refused --broker names each form of a URL once', () => {
  assert.throws(
    () => battle({flags: {broker: ['foo']}}),
    ({message}) => message.split('amqp://').length === 2 && message.split('mqtts://').length === 2,
  );
});

test('no two options share a flag, a variable or a key', () => {
  for (const property of /** @type {const} */ (['name', 'environmentName', 'key'])) {
    const values = allOptions.map((option) => option[property]);
    assert.deepEqual(values, [...new Set(values)], property);
  }
});
