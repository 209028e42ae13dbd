import assert from 'node:assert/strict';
import {test} from 'node:test';
import {resolveOptions} from '../../../src/options/resolve.js';
import {applies, loadOfRow, loadWorkloadOf, rowsOf, timeoutOf} from '../../../src/session/faults/rows.js';
import {allOptions, optionsOfBattle, optionsOfFaults} from '../../../src/settings/index.js';

/**
 * @import {FaultName} from '../../../src/faults/faults.js'
 * @import {FaultSettings} from '../../../src/settings/index.js'
 */

/** @param {Record<string, string[]>} flags */
function rows(flags) {
  return rowsOf(settingsOf(flags));
}

/** @param {Record<string, string[]>} flags */
function settingsOf(flags) {
  const mine = [...new Set([...optionsOfFaults, ...optionsOfBattle])];
  const settings = resolveOptions(allOptions, {scope: 'battle', mine, flags: {payload: ['1kb'], ...flags}});
  return /** @type {FaultSettings} */ (/** @type {unknown} */ (settings));
}

test('a transport that stores messages is a queue, and others are requests with replies', () => {
  const found = rows({transport: ['rabbitmq,websocket'], 'delivery-mode': ['2']});
  assert.deepEqual(
    found.map(({number, transport, stores, broker}) => ({number, transport, stores, broker})),
    [
      {number: 1, transport: 'rabbitmq', stores: true, broker: 'rabbitmq'},
      {number: 2, transport: 'websocket', stores: false, broker: null},
    ],
  );
});

test('requests through a broker are measured when that workload is asked for', () => {
  const [row] = rows({transport: ['rabbitmq'], 'delivery-mode': ['2'], workload: ['rtt']});
  assert.deepEqual([row.stores, row.broker, row.variant.servers], [false, 'rabbitmq', 1]);
});

test('each number of servers is a row of its own, and a queue has none', () => {
  const found = rows({transport: ['websocket,rabbitmq'], 'delivery-mode': ['2'], servers: ['1,2']});
  assert.deepEqual(
    found.map(({number, transport, variant, labels}) => [
      number,
      transport,
      variant.servers,
      labels.settings,
    ]),
    [
      [1, 'websocket', 1, []],
      [2, 'websocket', 2, ['2 servers']],
      [3, 'rabbitmq', undefined, []],
    ],
  );
});

test('a pipeline is the load of requests, a stream has one-way messages, and other workloads are refused with the reason', () => {
  const found = rows({transport: ['websocket'], workload: ['pipeline,rtt']});
  assert.deepEqual(
    found.map(({stores}) => stores),
    [false],
  );
  const [oneWay, ...others] = rows({transport: ['websocket'], workload: ['stream']});
  assert.deepEqual([oneWay.isOneWay, oneWay.stores, others], [true, false, []]);
  assert.throws(() => rows({transport: ['websocket'], workload: ['max-rate']}), {
    code: 'PB_USAGE',
    message:
      /--workload queue, rtt, stream, fan-out, cached, recordset or pipeline; it was given max-rate\. .*search.*fixed rate with --rate/,
  });
  assert.throws(() => rows({transport: ['sse'], workload: ['stream']}), {code: 'PB_USAGE'});
});

test('requests for rows, and requests through a cache, have a load of their own, with one value of each setting', () => {
  const found = rows({transport: ['tcp'], workload: ['recordset,cached']});
  assert.deepEqual(
    found.map((row) => [loadWorkloadOf(row), row.labels.settings, row.payloadBytes, row.stores]),
    [
      ['account/recordset', ['8 rows', 'streamed', 'recordset'], 8389, false],
      ['account/cached', ['cached'], 1024, false],
    ],
  );
  const asked = rows({
    transport: ['tcp'],
    workload: ['recordset'],
    rows: ['8,504'],
    delivery: ['preloaded'],
    window: ['32'],
  });
  assert.deepEqual(
    asked.map(({labels}) => labels.settings.join()),
    ['8 rows,preloaded', '504 rows,preloaded'],
  );
  const ratios = rows({transport: ['tcp'], workload: ['cached'], 'hit-ratio': ['0.5,0.9']});
  assert.deepEqual(
    ratios.map(({labels}) => labels.settings.join()),
    ['50 % hits', ''],
  );
  // A broker hides the death of their server, too.
  const [row] = rows({transport: ['nats'], workload: ['recordset']});
  assert.equal(timeoutOf(row, 'kill-server', settingsOf({})), 2000);
});

test('messages to subscribers are a row with ten of them, or with each number that is asked for', () => {
  const [ten, ...others] = rows({transport: ['websocket'], workload: ['fan-out']});
  assert.deepEqual([ten.subscribers, ten.isOneWay, ten.stores, others], [10, true, false, []]);
  assert.equal(loadWorkloadOf(ten), 'account/broadcast');
  const asked = rows({transport: ['nats'], workload: ['fan-out'], subscribers: ['1,5']});
  assert.deepEqual(
    asked.map(({subscribers, labels}) => [subscribers, labels.settings.join()]),
    [
      [1, '1 subscriber'],
      [5, '5 subscribers'],
    ],
  );
});

test('a server is hit where it sends the copies, and not where a broker does', () => {
  const [direct, brokered] = rows({transport: ['websocket,nats'], workload: ['fan-out']});
  const faults = /** @type {const} */ (['kill-server', 'kill-broker', 'cut-connection', 'power-loss']);
  const applied = (/** @type {typeof direct} */ row) => faults.filter((name) => applies(name, row));
  assert.deepEqual(applied(direct), ['kill-server', 'cut-connection']);
  assert.deepEqual(applied(brokered), ['kill-broker', 'cut-connection']);
});

test('rows of several workloads of one transport are named by their workload', () => {
  const namesOf = (/** @type {string} */ workload) =>
    rows({transport: ['websocket,nats'], workload: [workload]}).map(({transport, labels}) => [
      transport,
      labels.settings,
    ]);
  assert.deepEqual(namesOf('stream'), [
    ['websocket', []],
    ['nats', []],
  ]);
  assert.deepEqual(namesOf('stream,rtt'), [
    ['websocket', ['stream']],
    ['websocket', ['rtt']],
    ['nats', ['stream']],
    ['nats', ['rtt']],
  ]);
});

test('a one-way message has no outcome, so it is not sent again', () => {
  const both = rows({transport: ['websocket'], workload: ['stream,rtt'], resend: ['on,off']});
  assert.deepEqual(
    both.map(({isOneWay = false, resend}) => [isOneWay, resend]),
    [
      [true, false],
      [false, true],
      [false, false],
    ],
  );
});

test('a default rate is at most half of what a row sustained', () => {
  const load = {rate: 500, window: 64};
  const [byDefault, given] = [settingsOf({}), settingsOf({rate: ['500']})];
  const evidenceOf = (/** @type {number | null} */ ratePerSecond) =>
    /** @type {any} */ ({evidence: {ratePerSecond}});
  for (const [sustained, rate] of /** @type {const} */ ([
    [10_000, 500],
    [1000, 500],
    [301, 150],
    [1.5, 1],
    [null, 500],
  ]))
    assert.deepEqual(loadOfRow(evidenceOf(sustained), load, byDefault), {rate, window: 64});
  assert.deepEqual(loadOfRow({evidence: null}, load, byDefault), load);
  assert.deepEqual(loadOfRow(evidenceOf(301), load, given), load);
});

test('datagrams have no connection that could be cut, and what is within one host has no network, either', () => {
  const possible = (/** @type {string} */ transport) => {
    const [row] = rows({transport: [transport]});
    return /** @type {const} */ (['cut-connection', 'cut-network']).filter((fault) => applies(fault, row));
  };
  assert.deepEqual(['tcp', 'udp', 'unix'].map(possible), [
    ['cut-connection', 'cut-network'],
    ['cut-network'],
    [],
  ]);
});

test('a slow consumer is that of a queue, or the server of requests', () => {
  const [queue] = rows({transport: ['rabbitmq'], 'delivery-mode': ['2']});
  const [requests] = rows({transport: ['websocket']});
  assert.deepEqual([applies('slow-consumer', queue), applies('slow-consumer', requests)], [true, true]);
});

test('a power cut shows what a queue keeps, and nothing of requests or one-way messages', () => {
  for (const workload of ['rtt', 'stream']) {
    const [row] = rows({transport: ['rabbitmq'], 'delivery-mode': ['2'], workload: [workload]});
    assert.deepEqual([applies('kill-broker', row), applies('power-loss', row)], [true, false]);
  }
});

test('a rate for the load does not change what a row is', () => {
  const [row] = rows({transport: ['websocket'], rate: ['200']});
  assert.equal(row.variant.rate, null);
});

test('what has no number, or several sizes, or another workload is refused by name', () => {
  assert.throws(() => rows({payload: ['8']}), {code: 'PB_USAGE', message: /16 bytes/});
  assert.throws(() => rows({payload: ['1kb,2kb']}), {code: 'PB_USAGE', message: /one payload size/});
  const inClient = {code: 'PB_USAGE', message: /not take --transport worker: a thread of the client answers/};
  assert.throws(() => rows({transport: ['worker']}), inClient);
});

test('a fault applies to the rows that have what it is done to', () => {
  const [queue, requests] = rows({transport: ['rabbitmq,websocket'], 'delivery-mode': ['2']});
  const applied = (/** @type {typeof queue} */ row) =>
    /** @type {const} */ ([
      'kill-broker',
      'power-loss',
      'kill-server',
      'cut-connection',
      'cut-network',
    ]).filter((name) => applies(name, row));
  assert.deepEqual(applied(queue), ['kill-broker', 'power-loss', 'cut-connection', 'cut-network']);
  assert.deepEqual(applied(requests), ['kill-server', 'cut-connection', 'cut-network']);
});

test('what is within one host has no network', () => {
  const [row] = rows({transport: ['shared-memory']});
  assert.deepEqual(
    [applies('kill-server', row), applies('cut-connection', row), applies('cut-network', row)],
    [true, false, false],
  );
});

test('a consumer is killed where there is a queue', () => {
  const all = rows({
    transport: ['rabbitmq,jetstream,tcp'],
    'delivery-mode': ['2'],
    'jetstream-storage': ['file'],
  });
  assert.deepEqual(
    all.map((row) => [row.transport, applies('kill-consumer', row)]),
    [
      ['rabbitmq', true],
      ['jetstream', true],
      ['tcp', false],
    ],
  );
});

test('requests to a server behind a broker are given up within the load, unless a person says when', () => {
  const flags = {transport: ['nats,tcp,jetstream'], 'jetstream-storage': ['file']};
  const timesOf = (
    /** @type {FaultName | null} */ fault,
    /** @type {Record<string, string[]>} */ own = {},
  ) => {
    const settings = settingsOf({...flags, ...own});
    return rowsOf(settings).map((row) => timeoutOf(row, fault, settings));
  };
  for (const fault of /** @type {const} */ (['kill-server', 'cut-connection']))
    assert.deepEqual(timesOf(fault), [2000, 10_000, 4000]);
  // These answer later.
  assert.deepEqual(timesOf(null), [10_000, 10_000, 10_000]);
  // A NATS server without a leader for a stream does not answer.
  for (const fault of /** @type {const} */ (['pause-server', 'pause-broker', 'cut-network']))
    assert.deepEqual(timesOf(fault), [10_000, 10_000, 4000]);
  const requests = {workload: ['rtt']};
  assert.deepEqual(timesOf('pause-server', requests), [10_000, 10_000, 10_000]);
  assert.deepEqual(timesOf('kill-server', {timeout: ['5s']}), [5000, 5000, 5000]);
  // A broker may deliver them later.
  assert.deepEqual(timesOf('kill-server', {workload: ['stream']}), [10_000, 10_000, 10_000]);
});

test('requests that are sent again are rows of their own, and queues only where a person asks it', () => {
  const named = (/** @type {Record<string, string[]>} */ flags) =>
    rows({transport: ['websocket,rabbitmq'], 'delivery-mode': ['2'], ...flags}).map(
      ({transport, resend, labels}) => [transport, resend, labels.settings],
    );
  assert.deepEqual(named({}), [
    ['websocket', false, []],
    ['rabbitmq', false, []],
  ]);
  assert.deepEqual(named({resend: ['on'], transport: ['websocket']}), [['websocket', true, []]]);
  assert.deepEqual(named({resend: ['off,on'], 'rabbitmq-confirms': ['on']}), [
    ['websocket', false, []],
    ['websocket', true, ['sent again']],
    ['rabbitmq', false, ['confirms']],
    ['rabbitmq', true, ['confirms', 'sent again']],
  ]);
  // Nobody says which of its messages arrived.
  assert.deepEqual(named({resend: ['off,on'], transport: ['rabbitmq'], 'rabbitmq-confirms': ['off']}), [
    ['rabbitmq', false, []],
  ]);
});
