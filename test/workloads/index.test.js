import assert from 'node:assert/strict';
import {test} from 'node:test';
import {workloads} from '../../src/workloads/index.js';

const both = ['client', 'server'];
const openLoop = {rate: 500, arrivals: 'constant', window: 1000};

/** What each workload declares of a variant: roles that are busy on purpose, the offered rate, whether the client's CPU counts. */
const cases = /** @type {const} */ ([
  ['rtt', {rate: null}, {busy: [], rate: null, clientCpu: true, inFlight: 1}],
  ['rtt', openLoop, {busy: both, rate: 500, clientCpu: false, inFlight: 1000}],
  ['rtt', {...openLoop, window: 1}, {busy: ['client'], rate: 500, clientCpu: false, inFlight: 1}],
  ['pipeline', {window: 16}, {busy: both, rate: null, clientCpu: true, inFlight: 16}],
  ['stream', {rate: null, closingCall: false}, {busy: both, rate: null, clientCpu: true, inFlight: 1}],
  ['stream', {...openLoop, window: 64}, {busy: both, rate: 500, clientCpu: false, inFlight: 64}],
  ['queue', {pairwise: false}, {busy: both, rate: null, clientCpu: true, inFlight: 1}],
  ['fan-out', {subscribers: 1}, {busy: [], rate: null, clientCpu: true, inFlight: 1}],
  ['fan-out', {subscribers: 10}, {busy: both, rate: null, clientCpu: true, inFlight: 1}],
  ['cached', {hitRatio: 0.9}, {busy: both, rate: null, clientCpu: true, inFlight: 1}],
  ['recordset', {window: 1, rows: 8}, {busy: [], rate: null, clientCpu: true, inFlight: 1}],
  ['recordset', {window: 16, rows: 8}, {busy: both, rate: null, clientCpu: true, inFlight: 16}],
  ['max-rate', {maxP99Ms: 10, window: 1000}, {busy: both, rate: null, clientCpu: false, inFlight: 1000}],
]);

for (const [name, variant, expected] of cases) {
  test(`${name} declares what its verdict and figures need for ${JSON.stringify(variant)}`, () => {
    const workload = workloads[name];
    assert.deepEqual(
      {
        busy: [...workload.busyRoles(variant)],
        rate: workload.offeredRate?.(variant) ?? null,
        clientCpu: workload.cpu(variant).countsClient,
        inFlight: workload.concurrency(variant),
      },
      expected,
    );
  });
}

test('every workload has a case, and a table whose columns have headings', () => {
  assert.deepEqual([...new Set(cases.map(([name]) => name))].sort(), Object.keys(workloads).sort());
  for (const {name, table} of Object.values(workloads)) {
    const {name: tableName, columns} = table({openLoop: null, phases: {}});
    assert.equal(tableName, name);
    assert.ok(columns.length > 0 && columns.every(({heading}) => heading.length > 0));
  }
});
