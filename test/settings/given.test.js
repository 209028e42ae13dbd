import assert from 'node:assert/strict';
import {test} from 'node:test';
import {battle, faults, settingsOf} from '../../src/api/runs.js';
import {camelCase} from '../../src/options/option.js';
import {textsOf} from '../../src/settings/given.js';
import {optionsOfBattle} from '../../src/settings/index.js';

test('values are given as on a command line: text, numbers, lists, true and false', () => {
  const {values} = settingsOf({
    transport: ['http', 'rabbitmq'],
    payload: '1kb,2kb',
    deliveryMode: 2,
    rounds: 3,
    duration: '250ms',
    quick: true,
    warmup: undefined,
  });
  assert.deepEqual(values.transport, ['http', 'rabbitmq']);
  assert.deepEqual(values.payloadBytes, [1024, 2048]);
  assert.deepEqual(values.deliveryMode, [2]);
  assert.equal(values.rounds, 3);
  assert.equal(values.durationMs, 250);
  assert.equal(values.quick, true);
});

test('for a program, the environment is not read', () => {
  process.env.PB_ROUNDS = '9';
  try {
    assert.equal(settingsOf({}).values.rounds, null);
  } finally {
    delete process.env.PB_ROUNDS;
  }
});

test('what is no object of settings is refused by the name of the function', async () => {
  for (const wrong of /** @type {any[]} */ ([null, 'tcp', ['tcp'], 3])) {
    const refusal = {
      code: 'PB_USAGE',
      message: /\(\) takes an object of settings, .*; it is (null|a \w+)\.$/,
    };
    await assert.rejects(battle(wrong), refusal);
    await assert.rejects(faults(wrong), refusal);
  }
});

test('an unknown name is refused, with the one that was probably meant', () => {
  assert.throws(() => textsOf({payloads: '1kb'}, 'battle()'), {
    code: 'PB_USAGE',
    message: /^"payloads" is not a setting of battle\(\)\. Did you mean payload\?/,
  });
  assert.throws(() => textsOf({'delivery-mode': 1}, 'battle()'), /Did you mean deliveryMode\?/);
});

test('a value that is not allowed is refused by the name under which it was given', () => {
  assert.throws(() => settingsOf({rounds: 'many'}), /^UsageError: rounds must be .* it is "many"/);
  assert.throws(() => settingsOf({duration: 250}), /^UsageError: duration must be .*"250"/);
  assert.throws(() => settingsOf({rounds: [1, 2]}), /^UsageError: rounds takes one value/);
  assert.throws(
    () => textsOf({transport: {http: true}}, 'battle()'),
    /^UsageError: transport of battle\(\) must be text/,
  );
});

test('what only a command line needs is no setting; every other option of a battle is', () => {
  const refused = optionsOfBattle.filter(({name}) => {
    try {
      textsOf({[camelCase(name)]: undefined}, 'battle()');
      return false;
    } catch {
      return true;
    }
  });
  assert.deepEqual(refused.map(({name}) => name).sort(), [
    'bands',
    'csv',
    'csv-separator',
    'detail',
    'dry-run',
    'histogram',
    'json',
    'list-presets',
    'print-config',
    'quiet',
    'scenario',
  ]);
});
