import assert from 'node:assert/strict';
import {test} from 'node:test';
import {option} from '../../src/options/option.js';
import {integer, oneOf, onOff} from '../../src/options/types.js';
import {meaningOf, settingAsGiven, settingsOfMeasurements} from '../../src/settings/describe-settings.js';

test('a stored setting is shown as a person gives it', () => {
  assert.deepEqual(settingAsGiven('durationMs', 250), {name: '--duration', text: '250ms'});
  assert.deepEqual(settingAsGiven('warmUp', {kind: 'auto'}), {name: '--warmup', text: 'auto'});
  assert.deepEqual(settingAsGiven('p99Ms', 5), {name: '--p99', text: '5ms'});
  assert.deepEqual(settingAsGiven('tls', [false]), {name: '--tls', text: 'off'});
  assert.deepEqual(settingAsGiven('payloadBytes', [1024, 500]).text, '1kb,500b');
  assert.deepEqual(settingAsGiven('samples', 'none'), {name: '--samples', text: 'none'});
  assert.deepEqual(settingAsGiven('version of ws', '8.18.0'), {name: 'version of ws', text: '8.18.0'});
});

test('a stored setting of a form that this version does not know is shown as it is', () => {
  assert.deepEqual(settingAsGiven('expect', 5).text, '5');
  assert.deepEqual(settingAsGiven('warmUp', null), {name: '--warmup', text: null});
});

const common = {help: 'What it is for.', group: 'Any'};

/** @type {[string, Parameters<typeof meaningOf>[0], string][]} */
const meanings = [
  ['a number', option('count', {type: integer({minimum: 1, maximum: 2}), ...common}), 'What it is for.'],
  ['a switch', option('fast', {type: onOff, ...common}), 'What it is for.'],
  [
    'a word',
    option('colour', {type: oneOf(['red', 'blue']), ...common}),
    'What it is for. One of: red, blue.',
  ],
  [
    'several words',
    option('colours', {type: oneOf(['red', 'blue']), list: true, ...common}),
    'What it is for. Any of: red, blue.',
  ],
  [
    'on or off as a list',
    option('each', {type: onOff, list: true, ...common}),
    'What it is for. Any of: on, off.',
  ],
];

for (const [what, declared, meaning] of meanings) {
  test(`the meaning of an option that takes ${what} is: ${meaning}`, () =>
    assert.equal(meaningOf(declared), meaning));
}

test('the settings of measurements leave out output, and what other transports and workloads need', () => {
  const config = {
    ...{
      durationMs: 250,
      results: 'results.md',
      csv: true,
      deflate: [false],
      mqttQos: [1],
      seed: null,
    },
    ...{redisVia: ['streams'], keepAlive: [true], hitRatio: [0.5], ofAGuest: 7},
  };
  const measured = [
    {transport: 'http', workload: 'rtt'},
    {transport: 'redis', workload: 'cached'},
  ];
  const names = settingsOfMeasurements(config, measured).map(({name}) => name);
  assert.deepEqual(names, ['--duration', '--redis-via', '--http-keep-alive', '--hit-ratio', 'ofAGuest']);
});
