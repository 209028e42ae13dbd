import assert from 'node:assert/strict';
import {test} from 'node:test';
import {boundBetween, measureClocks, oneWayOf, onOurClock} from '../../src/battle/clocks.js';
import {monotonicMs} from '../../src/measure/clock.js';
import {Histogram} from '../../src/stats/histogram.js';

/** @import {Marked, Report} from '../../src/messages.js' */

/** @param {number} offsetMs @param {number} boundMs */
const clock = (offsetMs, boundMs) => ({offsetMs, boundMs});

test('on one host there is no doubt', () => {
  const here = {clients: [clock(0, 0)], servers: [clock(0, 0)]};
  assert.equal(boundBetween(here, here), 0);
  assert.equal(boundBetween({clients: [clock(0, 0)], servers: []}, {clients: [clock(0, 0)], servers: []}), 0);
});

test('between hosts the bounds add up, and so does what the clocks moved', () => {
  const before = {clients: [clock(5, 0.2)], servers: [clock(-3, 0.1)]};
  const after = {clients: [clock(5.01, 0.3)], servers: [clock(-3.04, 0.05)]};
  assert.ok(Math.abs(boundBetween(before, after) - (0.3 + 0.1 + 0.05)) < 1e-9);
});

test('the worst pair counts', () => {
  const some = {clients: [clock(0, 0.1), clock(0, 2)], servers: [clock(0, 0.1), clock(0, 1)]};
  assert.equal(boundBetween(some, some), 3);
});

test("another host's clock is found within the bound, however slow some of the answers are", async () => {
  const aheadMs = 1234.5;
  const role = {
    hostName: 'alpha',
    send() {},
    waitFor: async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      const atMs = monotonicMs() + aheadMs;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
      return {atMs};
    },
  };
  const here = {hostName: null};
  const {signal} = new AbortController();
  const roles = /** @type {any} */ ({servers: [role], clients: [here]});
  const {servers, clients} = await measureClocks(roles, signal);
  const [there, own] = [servers[0], clients[0]];
  assert.ok(Math.abs(there.offsetMs - aheadMs) <= there.boundMs, JSON.stringify(there));
  assert.ok(there.boundMs < 10);
  assert.deepEqual(own, clock(0, 0));
});

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
