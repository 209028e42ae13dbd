import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {measurePipeline} from '../../../src/workloads/pipeline/client.js';
import {injectClock} from '../injected-clock.js';

/** @import {WarmUp} from '../../../src/measure/types.js' */

const clock = injectClock();

/**
 * A server that works on one request after the other, each for a time.
 * @param {() => number} serviceMs
 */
function queueing(serviceMs) {
  /** @type {{payload: Buffer, waiting: any}[]} */
  const queue = [];
  let isBusy = false;
  const serve = () => {
    const next = queue.shift();
    isBusy = next !== undefined;
    if (!next) return;
    setImmediate(() => {
      clock.nowMs += serviceMs();
      next.waiting.resolve(next.payload);
      serve();
    });
  };
  return {
    /** @param {Buffer} payload @param {any} waiting */
    ask(payload, waiting) {
      queue.push({payload: Buffer.from(payload), waiting});
      if (!isBusy) serve();
    },
  };
}

/**
 * @param {{window: number, serviceMs: () => number, warmUp?: WarmUp}} how
 * @param {{discardMs: number, ms: number}[] | null} slices null: in one piece
 */
async function measure({window, serviceMs, warmUp = {kind: 'count', count: 50}}, slices) {
  const client = queueing(serviceMs);
  const ring = makePayloadRing({payloadBytes: 64, seed: 1, inFlight: window});
  return await measurePipeline({
    connection: {client: /** @type {any} */ (client), renew: async () => true},
    ...{ring, warmUpRing: ring},
    options: {
      ...{warmUp, samples: null, durationMs: 1000, timeoutMs: 10_000},
      ...{retries: 0, answer: 'echo', verify: 1, seed: 1, window},
    },
    signal: new AbortController().signal,
    warmedUp: async () => {},
    slices: () => (slices === null ? null : oneByOne(slices)),
    takeStrays: () => 0,
    onMeasured: () => {},
  });
}

/** @param {{discardMs: number, ms: number}[]} slices */
async function* oneByOne(slices) {
  for (const slice of slices) {
    clock.nowMs += 300;
    yield {...slice, samples: 1, counted() {}};
  }
}

for (const window of [1, 16]) {
  test(`in slices, a window of ${window} has the rate and the latency of a full window`, async () => {
    const slices = Array.from({length: 5}, () => ({discardMs: 8, ms: 20}));
    const {timed, latency, counts, usage, warmUp} = await measure({window, serviceMs: () => 0.25}, slices);
    assert.ok(timed && latency);
    assert.ok(Math.abs(timed.messages / timed.ms - 4) < 1e-9, `${timed.messages} in ${timed.ms} ms`);
    assert.ok(Math.abs(timed.ms - 100) < 2, `${timed.ms} ms`);
    // Histograms have three digits.
    assert.ok(Math.abs(latency.mean / 1e6 / (0.25 * window) - 1) < 0.01, `${latency.mean / 1e6} ms`);
    assert.ok(counts.sent === counts.received && counts.lost === 0 && counts.verified === counts.sent);
    assert.ok(usage.wallMs >= 140 && usage.wallMs < 180, `${usage.wallMs} ms`);
    assert.ok(warmUp.discarded >= 50 + 5 * 32, `${warmUp.discarded}`);
  });
}

test('a slice that is over before its first reply counts nothing', async () => {
  let served = 0;
  const serviceMs = () => {
    served += 1;
    return served === 51 ? 50 : 0.25;
  };
  const {counts, timed} = await measure({window: 1, serviceMs}, [
    {discardMs: 8, ms: 20},
    {discardMs: 8, ms: 20},
  ]);
  assert.ok(timed && Math.abs(timed.messages / timed.ms - 4) < 1e-9);
  assert.ok(counts.sent >= 79 && counts.sent <= 81, `${counts.sent}`);
});

for (const serviceMs of [0.25, 5])
  test(`a new pair that takes ${serviceMs} ms counts all that it measures in one piece, after the slices of its warm-up`, async () => {
    const warmUp = {kind: /** @type {const} */ ('auto'), requests: 20, maximumMs: 3000, sizeMs: 20};
    const {counts, latency} = await measure({window: 1, serviceMs: () => serviceMs, warmUp}, null);
    assert.ok(Math.abs(counts.sent * serviceMs - 1000) <= 2 * serviceMs, `${counts.sent}`);
    assert.deepEqual([latency?.count, counts.received], [counts.sent, counts.sent]);
  });
