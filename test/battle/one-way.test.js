import assert from 'node:assert/strict';
import {test} from 'node:test';
import {oneWayOf, onOurClock} from '../../src/battle/merge-results.js';
import {Histogram} from '../../src/stats/histogram.js';

/** @import {Marked, Report} from '../../src/protocol.js' */

const usage = {wallMs: 10, userMs: 4, systemMs: 1, maxRssBytes: 1000, eventLoopShare: 0.5, host: null};

/** @param {Partial<Report>} fields @returns {Marked} */
function mark(fields) {
  const histogram = new Histogram();
  histogram.add(2e5);
  const latency = histogram.encode();
  const report = {
    ...{messages: 2, bytes: 200, distinct: 2, verified: 2, corrupted: 0, duplicated: 0, reordered: 0},
    ...{lowestMs: 0.1, mismatch: null, firstMs: 100, lastMs: 110, response: latency, service: latency},
    ...fields,
  };
  return {event: 'progress', phase: 'mark', usage, served: 2, report};
}

const none = {response: null, service: null, lowestMs: null};

test('the clock bound belongs to a trial with one-way latencies between hosts', () => {
  assert.deepEqual(oneWayOf([mark({}), mark({})], 0.05), {clockBoundMs: 0.05});
  assert.equal(oneWayOf([mark({})], 0), null, 'one host has one clock');
  assert.equal(oneWayOf([mark(none)], 0.05), null, 'no latencies');
  assert.equal(oneWayOf([{...mark({}), report: null}], 0.05), null, 'the clients count');
});

test('a latency below zero is an error only beyond the bound', () => {
  assert.deepEqual(oneWayOf([mark({lowestMs: -0.049})], 0.05), {clockBoundMs: 0.05});
  const beyond = {
    code: 'PB_NEGATIVE_LATENCY',
    message: /0\.0510 ms before it was sent, .*at most 0\.0500 ms apart/,
  };
  assert.throws(() => oneWayOf([mark({}), mark({lowestMs: -0.051})], 0.05), beyond);
  assert.throws(() => oneWayOf([mark({lowestMs: -0.001})], 0), {code: 'PB_NEGATIVE_LATENCY'});
});

test('times of a server are moved to our clock, and what the clients counted stays', () => {
  const {report} = onOurClock(mark({}), 60);
  assert.deepEqual([report?.firstMs, report?.lastMs], [40, 50]);
  const counted = {...mark({}), report: null};
  assert.equal(onOurClock(counted, 60), counted);
});
