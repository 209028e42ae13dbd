import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makePayloadRing} from '../../src/payload/ring.js';
import {warmUpBy} from '../../src/workloads/load.js';
import {injectClock} from './injected-clock.js';

/** @import {WarmUp} from '../../src/measure/types.js' */

const clock = injectClock();
const small = makePayloadRing({payloadBytes: 1024, seed: 1});
const large = makePayloadRing({payloadBytes: 4096, seed: 1});

/**
 * Sends requests of 1 ms each.
 * @param {WarmUp} warmUp
 * @param {typeof small | null} [warmUpRing]
 */
async function warmUpWith(warmUp, warmUpRing = null) {
  /** @type {{bytes: number, count: number, isOfPair: boolean}[]} */
  const phases = [];
  const context = {ring: large, warmUpRing, options: {warmUp}};
  const {discarded} = await warmUpBy(context, async (ring, until, isOfPair) => {
    let count = 0;
    while (count < until.samples && performance.now() < until.atMs) {
      clock.nowMs += 1;
      count += 1;
    }
    phases.push({bytes: ring.payloadBytes, count, isOfPair});
    return count;
  });
  return {phases, discarded};
}

const auto = {
  kind: /** @type {const} */ ('auto'),
  requests: 300,
  maximumMs: 500,
  sizeMs: 40,
  largeSizeMs: 90,
};

test('a new pair sends small requests first, and then those of its size', async () => {
  const {phases, discarded} = await warmUpWith(auto, small);
  assert.deepEqual(phases, [
    {bytes: 1024, count: 300, isOfPair: true},
    {bytes: 4096, count: 40, isOfPair: false},
  ]);
  assert.equal(discarded, 340);
});

test('small requests that are slow end after their time', async () => {
  const {phases} = await warmUpWith({...auto, requests: 6000}, small);
  assert.equal(phases[0].count, 500);
});

test('a pair that has measured another size sends requests of this size only', async () => {
  assert.deepEqual((await warmUpWith(auto, null)).phases, [{bytes: 4096, count: 40, isOfPair: false}]);
});

test('a warm-up by count or by duration ends exactly there', async () => {
  assert.equal((await warmUpWith({kind: 'count', count: 7})).discarded, 7);
  assert.equal((await warmUpWith({kind: 'count', count: 0})).discarded, 0);
  assert.equal((await warmUpWith({kind: 'duration', durationMs: 30})).discarded, 30);
});
