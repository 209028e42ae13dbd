import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {newestOutcomes, newestRecords} from '../../src/results/newest-records.js';

/** @import {CellRecord} from '../../src/results/record-schema.js' */

/**
 * @param {string} id battle and number
 * @param {string} transport
 * @param {{settings?: string[], persistent?: string, payloadBytes?: number, environment?: string, machine?: string, outcome?: string,
 *   config?: object, variant?: object}} [others]
 * @returns {CellRecord}
 */
function record(id, transport, {settings = [], persistent = '*N/A*', ...others} = {}) {
  const labels = {facilitator: transport, persistent, settings};
  const usual = {
    outcome: 'completed',
    variant: {},
    workload: 'rtt',
    environment: 'local',
    machine: 'm4.xlarge',
    payloadBytes: 1,
    config: {},
  };
  return /** @type {any} */ ({
    ...usual,
    id,
    battleId: id.split('-')[0],
    transport,
    labels,
    ...others,
  });
}

const yes = {persistent: 'Yes'};
const battle = [
  record('a-1', 'tcp'),
  record('a-2', 'http'),
  record('a-3', 'rabbitmq', {persistent: 'No'}),
  record('a-4', 'rabbitmq', yes),
];

/** @param {readonly CellRecord[]} records */
const idsOf = (records) => newestRecords(records).map(({id}) => id);

test('of a configuration the newest that is complete is shown, for each machine', () => {
  const records = [
    ...battle,
    record('b-1', 'tcp'),
    record('c-1', 'tcp', {outcome: 'aborted'}),
    record('d-1', 'tcp', {machine: 't2.micro'}),
  ];
  assert.deepEqual(idsOf(records), ['b-1', 'd-1', 'a-2', 'a-3', 'a-4']);
});

test('programs of several names each have a row', () => {
  const one = record('a-1', 'external');
  const other = record('a-2', 'external');
  one.labels.facilitator = 'Go';
  other.labels.facilitator = 'C';
  assert.deepEqual(idsOf([one, other]), ['a-1', 'a-2']);
});

test('a setting that a later version added does not keep the older row beside the newer one', () => {
  const older = {...record('a-1', 'tcp'), variant: {noDelay: true}};
  const newer = {...record('b-1', 'tcp'), variant: {noDelay: true, keepMemory: true}};
  assert.deepEqual(idsOf(/** @type {any[]} */ ([older, newer])), ['b-1']);
});

test('a battle of some transports does not change the order that one of all gives them', () => {
  const of = {...yes, settings: ['quorum']};
  const later = [record('b-1', 'tcp'), record('b-2', 'rabbitmq', of)];
  assert.deepEqual(idsOf([...battle, ...later]), ['b-1', 'a-2', 'a-3', 'a-4', 'b-2']);
  assert.deepEqual(idsOf([...later, ...battle]), ['a-1', 'a-2', 'a-3', 'a-4', 'b-2']);
});

test('records with more settings that are not the default come later, and numbers are compared as numbers', () => {
  const windows = [[], ['window 16'], ['window 256'], ['window 256', 'TLS']];
  const records = windows.toReversed().map((settings, index) => record(`a-${index + 1}`, 'tcp', {settings}));
  assert.deepEqual(idsOf(records), ['a-4', 'a-3', 'a-2', 'a-1']);
});

test('payloads come before environments, and environments before transports', () => {
  const cloud = {environment: 'EC2'};
  const records = [
    record('a-1', 'tcp', {payloadBytes: 2}),
    record('a-2', 'http', {payloadBytes: 2}),
    record('b-1', 'tcp', {...cloud, payloadBytes: 2}),
    record('b-2', 'tcp', cloud),
  ];
  assert.deepEqual(idsOf(records), ['b-2', 'a-1', 'a-2', 'b-1']);
});

test('the sides of a comparison are no configurations', () => {
  const side = {...record('b-1', 'http'), variant: {side: 'a'}};
  assert.deepEqual(newestRecords([/** @type {any} */ (side)]), []);
});

describe('what became of each configuration last', () => {
  const masked = {settings: ['masked in JavaScript'], variant: {deflate: false, masking: 'javascript'}};
  const planned = {variant: {deflate: false}};
  for (const {title, records, newest} of [
    {
      title: 'is a failure, if the cell failed since',
      records: [record('a-1', 'http'), record('b-1', 'http', {outcome: 'failed'})],
      newest: ['b-1'],
    },
    {
      title: 'is an interruption, too',
      records: [record('a-1', 'http'), record('b-1', 'http', {outcome: 'aborted'})],
      newest: ['b-1'],
    },
    {
      title: 'are figures, if the cell failed before',
      records: [record('a-1', 'http', {outcome: 'failed'}), record('b-1', 'http')],
      newest: ['b-1'],
    },
    {
      title: 'is a failure before any process told what names the cell',
      records: [
        record('a-1', 'websocket', masked),
        record('b-1', 'websocket', {...planned, outcome: 'failed'}),
      ],
      newest: ['b-1'],
    },
    {
      title: 'are figures, if the cell failed before any process told what names it',
      records: [
        record('a-1', 'websocket', {...planned, outcome: 'failed'}),
        record('b-1', 'websocket', masked),
      ],
      newest: ['b-1'],
    },
    {
      title: 'is a failure of one setting alone',
      records: [
        record('a-1', 'websocket', {...planned, settings: []}),
        record('b-1', 'websocket', {variant: {deflate: true}, settings: ['deflate'], outcome: 'failed'}),
      ],
      newest: ['a-1', 'b-1'],
    },
    {
      title: 'is that of each machine',
      records: [record('a-1', 'http'), record('b-1', 'http', {outcome: 'failed', machine: 't2.micro'})],
      newest: ['a-1', 'b-1'],
    },
    {
      title: 'is none of a side of a comparison',
      records: [record('a-1', 'http', {variant: {side: 'a'}, outcome: 'failed'})],
      newest: [],
    },
  ])
    it(title, () =>
      assert.deepEqual(
        newestOutcomes(records).map(({id}) => id),
        newest,
      ),
    );
});
