import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Strikes} from '../../../src/session/faults/strikes.js';

/** @import {AskedFault} from '../../../src/faults/faults.js' */

/** @param {number} seed @param {{fromMs: number, toMs: number} | null} at @returns {Promise<number>} when a server is hit, in ms after the begin of the load */
async function hitAfter(seed, at) {
  const values = {seed, respawn: true, restartAfterMs: 1, tries: 1};
  const run = {
    settings: {values, origins: {tries: {kind: 'default'}}},
    note: () => {},
    signal: new AbortController().signal,
  };
  const strikes = new Strikes(/** @type {any} */ (run), null, null);
  let nowMs = 0;
  strikes.sleep = async (ms) => {
    nowMs += ms;
  };
  /** @type {number[]} */
  const hits = [];
  const load = {
    row: {stores: false},
    strike: async () => void hits.push(nowMs),
    untilSubscribersBack: async () => {},
  };
  /** @type {AskedFault} */
  const asked = {name: 'pause-server', at};
  await strikes.strike(asked, [/** @type {any} */ (load)]);
  assert.equal(hits.length, 2, 'it is paused, and resumed');
  return hits[0];
}

test('a fault comes at a time within its range, which the seed draws', async () => {
  const range = {fromMs: 5000, toMs: 8000};
  const times = await Promise.all(Array.from({length: 100}, (_, seed) => hitAfter(seed, range)));
  for (const ms of times) assert.ok(ms >= 5000 && ms < 8000, `${ms} ms`);
  assert.ok(Math.min(...times) < 5300 && Math.max(...times) > 7700, 'the whole range is used');
  assert.equal(await hitAfter(7, range), times[7]);
  assert.deepEqual([await hitAfter(7, {fromMs: 5000, toMs: 5000}), await hitAfter(7, null)], [5000, 2000]);
});
