import assert from 'node:assert/strict';
import {test} from 'node:test';
import {noCounts} from '../../src/measure/counts.js';
import {readUsage, usageSince} from '../../src/measure/usage.js';
import {makeResult} from '../../src/roles/result.js';
import {Histogram} from '../../src/stats/histogram.js';

/** @import {WorkloadResult} from '../../src/workloads/workload.js' */

/** @param {number[]} nanoseconds */
function histogramOf(...nanoseconds) {
  const histogram = new Histogram();
  for (const one of nanoseconds) histogram.add(one);
  return histogram;
}

/** @param {Partial<WorkloadResult>} fields @returns {WorkloadResult} */
function workloadResult(fields) {
  return {
    latency: histogramOf(1e6, 3e6),
    timed: {messages: 2, ms: 4},
    counts: {...noCounts, sent: 2, received: 2},
    warmUp: {discarded: 50},
    usage: usageSince(readUsage()),
    ...fields,
  };
}

test('a result carries the distribution twice: summarized for readers, whole for merging', () => {
  const {rtt, encoded} = makeResult(workloadResult({}), 100);
  assert.equal(rtt?.meanMs, 2);
  assert.equal(encoded && Histogram.decode(encoded).count, 2);
});

test('the rate is that of the timed part, in bytes by the size of a reply', () => {
  assert.deepEqual(makeResult(workloadResult({}), 100).throughput, {
    messagesPerSecond: 500,
    bytesPerSecond: 50_000,
  });
  assert.equal(makeResult(workloadResult({payloadBytes: 7}), 100).throughput?.bytesPerSecond, 3500);
  assert.equal(makeResult(workloadResult({timed: null}), 100).throughput, null);
});

test('distributions without a sample are left out', () => {
  const {rtt, beside, encodedBeside} = makeResult(
    workloadResult({latency: new Histogram(), beside: {hit: histogramOf(5), miss: new Histogram()}}),
    100,
  );
  assert.equal(rtt, null);
  assert.deepEqual([Object.keys(beside), Object.keys(encodedBeside)], [['hit'], ['hit']]);
});

test('what was wrong with the first wrong reply is part of the result', () => {
  assert.equal(makeResult(workloadResult({mismatch: 'byte 3 differs'}), 100).mismatch, 'byte 3 differs');
  assert.equal(makeResult(workloadResult({}), 100).mismatch, null);
});
