import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {measurePipeline} from '../../../src/workloads/pipeline/client.js';
import {injectClock} from '../injected-clock.js';

/** @import {WarmUp} from '../../../src/measure/types.js' */

const clock = injectClock();

/**
 * A server that works on one request after the other, each for a time.
 * @param {() => number} serviceMs @param {(payload: Buffer) => Buffer | null} [answer] null: none
 */
function queueing(serviceMs, answer = (payload) => payload) {
  /** @type {{payload: Buffer, waiting: any}[]} */
  const queue = [];
  let isBusy = false;
  const serve = () => {
    const next = queue.shift();
    isBusy = next !== undefined;
    if (!next) return;
    setImmediate(() => {
      clock.nowMs += serviceMs();
      const reply = answer(next.payload);
      if (reply) next.waiting.resolve(reply);
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
 * @param {{window: number, serviceMs: () => number, warmUp?: WarmUp, timeoutMs?: number, answer?: (payload: Buffer) => Buffer | null, onCounted?: (fromMs: number, toMs?: number) => void}} how
 * @param {{discardMs: number, ms: number}[] | null} slices null: in one piece
 */
async function measure(
  {window, serviceMs, warmUp = {kind: 'count', count: 50}, timeoutMs = 10_000, answer, onCounted = () => {}},
  slices,
) {
  const client = queueing(serviceMs, answer);
  const ring = makePayloadRing({payloadBytes: 64, seed: 1, inFlight: window});
  return await measurePipeline({
    connection: {client: /** @type {any} */ (client), renew: async () => true},
    ...{ring, warmUpRing: ring},
    options: {
      ...{warmUp, samples: null, durationMs: 1000, timeoutMs},
      ...{retries: 0, answer: 'echo', verify: 1, seed: 1, window},
    },
    signal: new AbortController().signal,
    warmedUp: async () => {},
    slices: () => (slices === null ? null : oneByOne(slices, onCounted)),
    takeStrays: () => 0,
    onMeasured: () => {},
  });
}

/** @param {{discardMs: number, ms: number}[]} slices @param {(fromMs: number, toMs?: number) => void} counted */
async function* oneByOne(slices, counted) {
  for (const slice of slices) {
    clock.nowMs += 300;
    yield {...slice, samples: 1, counted};
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

test('the counted time of a slice has both its ends, without the replies after it', async () => {
  /** @type {number[]} */
  const spans = [];
  const {timed} = await measure(
    {window: 16, serviceMs: () => 0.25, onCounted: (fromMs, toMs = 0) => void spans.push(toMs - fromMs)},
    Array.from({length: 5}, () => ({discardMs: 8, ms: 20})),
  );
  assert.equal(spans.length, 5);
  const sum = spans.reduce((total, ms) => total + ms, 0);
  assert.ok(timed && Math.abs(sum - timed.ms) < 1e-9, `${sum} ms of ${timed?.ms} ms`);
});

test('slices that are shorter than a round trip count nothing, also if the replies come together', async () => {
  let served = 0;
  const serviceMs = () => {
    served += 1;
    return served > 50 && served % 4 === 0 ? 50 : 0.01;
  };
  const {timed} = await measure({window: 4, serviceMs}, [
    {discardMs: 1, ms: 5},
    {discardMs: 1, ms: 5},
  ]);
  assert.deepEqual(timed, {messages: 0, ms: 0});
});

test('a wrong reply is reported, also if its time does not count', async () => {
  let served = 0;
  const answer = (/** @type {Buffer} */ payload) => {
    served += 1;
    return served === 52 ? Buffer.alloc(payload.length) : payload;
  };
  const {counts, mismatch} = await measure({window: 4, serviceMs: () => 0.25, answer}, [
    {discardMs: 8, ms: 20},
  ]);
  assert.equal(counts.corrupted, 1);
  assert.ok(mismatch);
});

test('a lost request counts with its time in one piece, also after the slices of the warm-up', async () => {
  let served = 0;
  const answer = (/** @type {Buffer} */ payload) => {
    served += 1;
    return served === 1000 ? null : payload;
  };
  const warmUp = {kind: /** @type {const} */ ('auto'), requests: 20, maximumMs: 3000, sizeMs: 20};
  const {counts, latency} = await measure(
    {window: 4, serviceMs: () => 0.25, warmUp, timeoutMs: 8, answer},
    null,
  );
  assert.equal(counts.lost, 1);
  assert.ok(latency && latency.maximum >= 8e6, `${latency?.maximum} ns`);
});

for (const serviceMs of [0.25, 5])
  test(`a new pair that takes ${serviceMs} ms counts all that it measures in one piece, after the slices of its warm-up`, async () => {
    const warmUp = {kind: /** @type {const} */ ('auto'), requests: 20, maximumMs: 3000, sizeMs: 20};
    const {counts, latency} = await measure({window: 1, serviceMs: () => serviceMs, warmUp}, null);
    assert.ok(Math.abs(counts.sent * serviceMs - 1000) <= 2 * serviceMs, `${counts.sent}`);
    assert.deepEqual([latency?.count, counts.received], [counts.sent, counts.sent]);
  });
