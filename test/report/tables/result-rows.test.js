import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {resultRows} from '../../../src/report/tables/result-rows.js';
import {newestRecords} from '../../../src/results/newest-records.js';
import {completedRecord} from '../../exports/completed-record.js';

const valid = {status: 'valid', warnings: []};

/** @param {Record<string, unknown>} fields */
function record(fields) {
  return completedRecord({
    id: 'a-1',
    transport: 'rabbitmq',
    variant: {},
    verdict: valid,
    phases: {},
    rtt: null,
    openLoop: null,
    ...fields,
  });
}

/** @param {number} messagesPerSecond */
const part = (messagesPerSecond) => ({messages: 100, meanMs: 1, messagesPerSecond});

/** @type {{says: string, fields: Record<string, unknown>, table: string, rows: [string, number][]}[]} */
const cases = [
  {
    says: 'A round trip has a row with its mean',
    fields: {workload: 'rtt', rtt: {meanMs: 0.767}},
    table: 'rtt',
    rows: [['rtt', 0.767]],
  },
  {
    says: 'An open loop has a row with its rate in a table of its own',
    fields: {workload: 'rtt', rtt: {meanMs: 0.767}, openLoop: {offeredPerSecond: 1300}},
    table: 'rtt-open-loop',
    rows: [['rtt', 1234.5]],
  },
  {
    says: 'A stream has a row with what its receiver timed',
    fields: {workload: 'stream'},
    table: 'stream',
    rows: [['stream', 1234.5]],
  },
  {
    says: 'A stream with a closing call has that row too, and one with what its sender timed',
    fields: {workload: 'stream', phases: {sender: part(1111)}},
    table: 'stream',
    rows: [
      ['stream', 1234.5],
      ['stream: sender', 1111],
    ],
  },
  {
    says: 'A queue has a row for what went in and one for what came out, and none for both',
    fields: {workload: 'queue', phases: {enqueue: part(2000), dequeue: part(3000)}},
    table: 'queue',
    rows: [
      ['queue: enqueue', 2000],
      ['queue: dequeue', 3000],
    ],
  },
  {
    says: 'A queue in pairs has one row',
    fields: {workload: 'queue'},
    table: 'queue',
    rows: [['queue', 1234.5]],
  },
  {
    says: 'Parts of a workload that is not known here stand beside the whole',
    fields: {workload: 'of-tomorrow', phases: {early: part(7)}},
    table: 'of-tomorrow',
    rows: [
      ['of-tomorrow', 1234.5],
      ['of-tomorrow: early', 7],
    ],
  },
];

test('A row names the preset, and its scale unless that is 1; presets of the same workload have rows of their own', () => {
  const configs = [
    {preset: null},
    {preset: 'coralmq'},
    {preset: 'coralmq', scale: 0.01},
    {preset: 'endurox-01'},
  ];
  const records = configs.map((config) => record({config: {scale: 1, ...config}}));
  const rows = resultRows(newestRecords(records)).get('rtt')?.rows ?? [];
  assert.deepEqual(
    rows.map(({facilitator}) => facilitator),
    [
      ...['RabbitMQ', 'RabbitMQ (preset coralmq)', 'RabbitMQ (preset coralmq, scale 0.01)'],
      'RabbitMQ (preset endurox-01)',
    ],
  );
});

for (const {says, fields, table, rows} of cases) {
  test(says, () => {
    const found = resultRows([record(fields)]);
    assert.deepEqual([...found.keys()], [table]);
    assert.deepEqual(
      found.get(table)?.rows.map(({workload, figures}) => [workload, figures['AMD EPYC']]),
      rows,
    );
  });
}

/** @param {string} machine @param {number} meanMs @param {Record<string, unknown>} [fields] */
const roundTrip = (machine, meanMs, fields = {}) =>
  record({workload: 'rtt', machine, rtt: {meanMs}, ...fields});

test('machines stand side by side where all else is the same', () => {
  const rows = resultRows([
    roundTrip('t2.micro', 2),
    roundTrip('t2.micro', 20, {payloadBytes: 102400}),
    roundTrip('m4.xlarge', 1),
    roundTrip('m4.xlarge', 0.9, {labels: {...record({}).labels, settings: ['Nagle on']}}),
    roundTrip('m4.xlarge', 0.8, {environment: 'EC2'}),
  ]).get('rtt')?.rows;
  assert.deepEqual(
    rows?.map(({figures}) => figures),
    [{'t2.micro': 2, 'm4.xlarge': 1}, {'t2.micro': 20}, {'m4.xlarge': 0.9}, {'m4.xlarge': 0.8}],
  );
});

test('a machine that was measured twice has two rows', () => {
  const rows = resultRows([roundTrip('a', 2), roundTrip('b', 1), roundTrip('a', 3)]).get('rtt')?.rows;
  assert.deepEqual(
    rows?.map(({figures}) => figures),
    [{a: 2, b: 1}, {a: 3}],
  );
});

test('a row of several machines says on which it is suspect', () => {
  const suspect = {verdict: {status: 'suspect', warnings: []}};
  const facilitators = (/** @type {any[]} */ records) =>
    resultRows(records)
      .get('rtt')
      ?.rows.map(({facilitator}) => facilitator);
  const name = facilitators([roundTrip('a', 2)])?.[0];
  assert.deepEqual(facilitators([roundTrip('a', 2, suspect), roundTrip('b', 1)]), [`${name} (suspect on a)`]);
  assert.deepEqual(facilitators([roundTrip('a', 2, suspect), roundTrip('b', 1, suspect)]), [
    `${name} (suspect)`,
  ]);
  assert.deepEqual(facilitators([roundTrip('a', 2, suspect)]), [`${name} (suspect)`]);
});

describe('versions in rows', () => {
  const [old, now] = [{versions: {node: 'v22.1.0'}}, {versions: {node: 'v24.2.0'}}];
  const other = {payloadBytes: 102400};
  const facilitators = (/** @type {any[]} */ records, /** @type {any[]} */ others = []) =>
    [...resultRows(records, others).values()].flatMap(({rows}) => rows.map(({facilitator}) => facilitator));

  it('are named where rows of one table differ in them, and only there', () => {
    assert.deepEqual(facilitators([roundTrip('a', 2, old), roundTrip('a', 2, {...old, ...other})]), [
      ...['RabbitMQ', 'RabbitMQ'],
    ]);
    assert.deepEqual(facilitators([roundTrip('a', 2, old), roundTrip('a', 2, {...now, ...other})]), [
      ...['RabbitMQ (Node.js 22.1.0)', 'RabbitMQ (Node.js 24.2.0)'],
    ]);
    const table = {workload: 'stream', rtt: null};
    assert.deepEqual(facilitators([roundTrip('a', 2, old), record({...now, ...table})]), [
      ...['RabbitMQ', 'RabbitMQ'],
    ]);
  });

  it('are named with the machine where machines of one row differ', () => {
    assert.deepEqual(facilitators([roundTrip('a', 2, old), roundTrip('b', 1, now)]), [
      'RabbitMQ (Node.js 22.1.0 on a, Node.js 24.2.0 on b)',
    ]);
  });

  it('are compared with those of the rows that are there already', () => {
    const there = [roundTrip('a', 2, {...old, ...other})];
    assert.deepEqual(facilitators([roundTrip('a', 2, now)], there), ['RabbitMQ (Node.js 24.2.0)']);
    assert.deepEqual(facilitators([roundTrip('a', 2, old)], there), ['RabbitMQ']);
  });

  it('of a broker are compared within its transport', () => {
    const brokers = (/** @type {string | null} */ rabbitmq) => ({
      versions: {node: 'v22.1.0', rabbitmq, nats: '2.9'},
    });
    const records = ['3.10.8', '4.1.0', null].map((version, index) =>
      roundTrip('a', 2, {...brokers(version), payloadBytes: 1024 * (index + 1)}),
    );
    assert.deepEqual(facilitators([...records, roundTrip('a', 2, {...brokers('5.0'), transport: 'nats'})]), [
      ...['RabbitMQ (broker 3.10.8)', 'RabbitMQ (broker 4.1.0)', 'RabbitMQ', 'RabbitMQ'],
    ]);
  });
});
