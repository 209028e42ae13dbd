import assert from 'node:assert/strict';
import {test} from 'node:test';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {
  allOptions,
  optionsOfBattle,
  optionsOfChart,
  optionsOfCheckAdapter,
  optionsOfCheckTransport,
  optionsOfChoose,
  optionsOfCompare,
  optionsOfDoctor,
  optionsOfFaults,
  optionsOfReport,
  optionsOfTable,
} from '../../src/settings/index.js';

/** @import {Option} from '../../src/options/contract.js' */

/** @param {readonly Option[]} mine @param {string} commandLine */
function read(mine, commandLine) {
  const {flags} = readCommandLine(mine, commandLine.split(' '));
  return resolveOptions(allOptions, {scope: 'battle', mine, flags});
}

/** @type {[string, readonly Option[], {takes: string[], refuses: string[]}][]} */
const commands = [
  [
    'doctor',
    optionsOfDoctor,
    {
      takes: [
        '--json',
        '--transport tcp',
        '--rabbitmq-url amqp://host',
        '--rabbitmq-vhost v',
        '--nats-token t',
      ],
      refuses: ['--broker-nodes 3', '--rabbitmq-exchange x', '--rabbitmq-queue x', '--nats-subject x'],
    },
  ],
  [
    'check-adapter',
    optionsOfCheckAdapter,
    {
      takes: [
        '--json',
        '--external A=a,b',
        '--broker private',
        '--broker-nodes 3',
        '--rabbitmq-host h',
        '--nats-url nats://host',
      ],
      refuses: ['--rabbitmq-exchange x', '--rabbitmq-queue x', '--nats-subject x'],
    },
  ],
];

for (const [command, options, {takes, refuses}] of commands) {
  for (const words of takes)
    test(`${command} takes ${words}`, () => assert.doesNotThrow(() => read(options, words)));

  for (const words of refuses)
    test(`${command} refuses ${words}, which has no effect there`, () =>
      assert.throws(() => read(options, words), {code: 'PB_USAGE'}));
}

/** @type {[string, readonly Option[], Record<string, RegExp>][]} */
const explained = [
  ['battle', optionsOfBattle, {json: /\{battle, cells\}/, results: /rows are appended/, preset: /^Run /}],
  ['choose', optionsOfChoose, {json: /\{battle, cells, choices\}/, results: /rows are appended/}],
  ['table', optionsOfTable, {json: /\{cells\}/, results: /journal is read/, preset: /^Show only/}],
  ['compare', optionsOfCompare, {json: /\{old, new, cells\}/, results: /battles named by an id/}],
  ['report', optionsOfReport, {json: /\{page, bytes\}/, results: /battles named by an id/}],
  ['chart', optionsOfChart, {json: /\{charts\}/, results: /battles named by an id/}],
  ['doctor', optionsOfDoctor, {json: /\{findings\}/}],
  ['check-adapter', optionsOfCheckAdapter, {json: /\{findings\}/}],
  [
    'faults',
    optionsOfFaults,
    {
      preset: /^Run the faults of /,
      workload: /^What is sent\. By default messages into a queue.* Not taken: max-rate\.$/,
      timeout: /gives up its connection/,
      seed: /random times of faults/,
      window: /By default 64\.$/,
      'server-address': /^The address under which clients reach servers/,
      rows: /By default 8\.$/,
    },
  ],
];

for (const [command, options, texts] of explained) {
  for (const [name, text] of Object.entries(texts))
    test(`${command} explains what --${name} does there`, () => {
      const [one, ...more] = options.filter((option) => option.name === name);
      assert.match(one.help, text);
      assert.deepEqual(more, []);
    });
}

test('the help of commands that print findings says so', () => {
  for (const options of [optionsOfDoctor, optionsOfCheckAdapter, optionsOfCheckTransport])
    for (const format of ['json', 'csv'])
      assert.match(options.find(({name}) => name === format)?.help ?? '', /finding/);
});
