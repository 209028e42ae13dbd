import assert from 'node:assert/strict';
import {test} from 'node:test';
import {boundBetween, measureClocks} from '../../src/battle/clocks.js';
import {monotonicMs} from '../../src/measure/clock.js';

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
