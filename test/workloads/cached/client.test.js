import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {loadCache, measureCached} from '../../../src/workloads/cached/client.js';
import {CachedReplies} from '../../../src/workloads/cached/requests.js';
import {isQuick, someOf} from '../../support/effort.js';
import {injectClock} from '../injected-clock.js';

const clock = injectClock();

const entries = 256;

/** @param {Buffer} payload */
async function echo(payload) {
  return Buffer.from(payload);
}

/**
 * @param {(payload: Buffer) => Promise<Buffer>} request
 * @param {Record<string, any>} settings
 */
async function measure(
  request,
  {payloadBytes = 64, signal = new AbortController().signal, ...settings} = {},
) {
  const seen = {renewals: 0, requests: 0};
  const counted = (/** @type {Buffer} */ payload) => {
    seen.requests += 1;
    return request(payload);
  };
  const client = {request: counted, closed: new Promise(() => {}), close: async () => {}};
  const result = await measureCached({
    connection: {
      client: /** @type {any} */ (client),
      renew: async () => {
        seen.renewals += 1;
        return true;
      },
    },
    ring: makePayloadRing({payloadBytes, seed: 1}),
    options: {
      warmUp: {kind: 'count', count: 10},
      samples: 2000,
      durationMs: null,
      timeoutMs: 10_000,
      retries: 0,
      answer: 'echo',
      seed: 1,
      hitRatio: 0.9,
      cacheIn: 'memory',
      verify: 100,
      ...settings,
    },
    signal,
    warmedUp: async () => {},
    takeStrays: () => 0,
    onMeasured: () => {},
  });
  assert.ok(result.latency && result.beside && result.notes && result.timed);
  return {
    ...result,
    latency: result.latency,
    beside: result.beside,
    notes: result.notes,
    timed: result.timed,
    ...seen,
  };
}

for (const {hitRatio, hits} of someOf(
  [
    {hitRatio: 0.25, hits: 500},
    {hitRatio: 0, hits: 0},
    {hitRatio: 0.9, hits: 1800},
    {hitRatio: 0.999, hits: 1998},
    {hitRatio: 1, hits: 2000},
  ],
  2,
)) {
  test(`of 2000 requests at a hit ratio of ${hitRatio} the server sees ${2000 - hits}, and their times are kept apart`, async () => {
    const {counts, notes, beside, latency, timed, requests, warmUp} = await measure(
      async (payload) => {
        clock.nowMs += 0.25;
        return Buffer.from(payload);
      },
      {hitRatio, warmUp: {kind: 'count', count: 0}},
    );
    const misses = 2000 - hits;
    assert.deepEqual(notes, {hits, misses});
    assert.equal(requests, entries + misses, 'the cache is filled first');
    assert.equal(warmUp.discarded, entries);
    assert.deepEqual([beside.hit.count, beside.miss.count, latency.count], [hits, misses, 2000]);
    if (misses > 0) assert.ok(Math.abs(beside.miss.mean - 250_000) < 1);
    if (hits > 0) assert.ok(beside.hit.mean < 1);
    assert.ok(Math.abs(timed.ms - misses * 0.25) < 1e-6 && timed.messages === 2000);
    assert.deepEqual([counts.sent, counts.received, counts.lost], [2000, 2000, 0]);
    assert.equal(counts.verified, misses + Math.floor(hits / 100));
  });
}

test('every hit is compared when all are to be', async () => {
  const {counts} = await measure(echo, {verify: 1});
  assert.equal(counts.verified, 2000);
});

test('the increments of requests are cached as well', async () => {
  const {counts} = await measure(async (payload) => Buffer.from(payload.map((byte) => byte + 1)), {
    answer: 'increment',
    verify: 1,
  });
  assert.equal(counts.verified, 2000);
});

test('with payloads too short for a number, and ones of which the cache holds few, hits are hits', async () => {
  for (const payloadBytes of [1, 15, 16, 2 * 1024 * 1024]) {
    const {notes} = await measure(echo, {payloadBytes, samples: 200, verify: 10});
    assert.deepEqual(notes, {hits: 180, misses: 20});
  }
});

for (const name of /** @type {const} */ (['memory', 'lmdb']))
  test(`the cache in ${name} is bounded, and what was stored first, or asked for least recently, gives way`, async () => {
    const openCache = await loadCache(name);
    const replies = new CachedReplies(1024, openCache);
    for (let number = 0; number < 1000; number += 1) {
      const key = replies.keyOf(number);
      replies.cache.set(key, Buffer.from(key));
      replies.note(key, number);
    }
    const numbers = Array.from({length: entries}, (_, index) => replies.pick(index / entries));
    assert.deepEqual(
      numbers.toSorted((one, other) => one - other),
      Array.from({length: entries}, (_, index) => 1000 - entries + index),
    );
    for (const number of numbers) {
      const key = replies.keyOf(number);
      assert.equal(String(replies.cache.get(key)), key);
    }
    for (let number = 0; number < 1000 - entries; number += 1)
      assert.equal(replies.cache.get(replies.keyOf(number)), undefined);
    replies.cache.close();
    assert.equal(new CachedReplies(1_024_000, openCache).capacity, 65);
    assert.equal(new CachedReplies(128 * 1024 * 1024, openCache).capacity, 1);
  });

test('a reply that changes in the cache is found out', async () => {
  /** @type {Buffer[]} */
  const given = [];
  let requests = 0;
  const spoil = async (/** @type {Buffer} */ payload) => {
    requests += 1;
    if (requests === 300) for (const reply of given) reply[40] ^= 1;
    given.push(Buffer.from(payload));
    return /** @type {Buffer} */ (given.at(-1));
  };
  await assert.rejects(measure(spoil, {verify: 1}), {code: 'PB_WRONG_REPLY', message: /offset 40/});
});

test('a wrong reply fails the trial', async () => {
  const flip = async (/** @type {Buffer} */ payload) => {
    const reply = Buffer.from(payload);
    reply[20] ^= 1;
    return reply;
  };
  await assert.rejects(measure(flip), {code: 'PB_WRONG_REPLY', message: /offset 20/});
});

/** @param {ReadonlySet<number>} deaf the requests that are not answered, counted after the cache was filled */
function silentOn(deaf) {
  let requests = -entries;
  return (/** @type {Buffer} */ payload) => {
    requests += 1;
    return deaf.has(requests) ? /** @type {Promise<Buffer>} */ (new Promise(() => {})) : echo(payload);
  };
}

const patient = /** @type {const} */ ({timeoutMs: 40, warmUp: {kind: 'count', count: 0}, hitRatio: 0.5});

test('a miss that outlives the timeout is lost, on a new connection, and its reply is never a hit', async () => {
  clock.isInjected = false;
  const {counts, notes, beside, renewals} = await measure(silentOn(new Set([3, 7])), {
    ...patient,
    samples: 300,
  });
  assert.deepEqual([counts.sent, counts.received, counts.lost, counts.timedOut], [300, 298, 2, 2]);
  assert.deepEqual(notes, {hits: 150, misses: 150});
  assert.equal(renewals, 2);
  assert.ok(beside.miss.maximum >= 40e6);
});

test('with retries it is sent again, and is one request still', async () => {
  clock.isInjected = false;
  const {counts, beside, requests} = await measure(silentOn(new Set([3, 4])), {
    ...patient,
    samples: 300,
    retries: 2,
  });
  assert.deepEqual([counts.sent, counts.received, counts.lost], [300, 300, 0]);
  assert.deepEqual([counts.timedOut, counts.retried], [2, 2]);
  assert.equal(requests, entries + 150 + 2);
  assert.ok(beside.miss.maximum >= 80e6);
});

test('a server that falls silent is given up, although the cache goes on answering', async () => {
  clock.isInjected = false;
  const deaf = new Set(Array.from({length: 1000}, (_, index) => 5 + index));
  await assert.rejects(
    measure(silentOn(deaf), {...patient, samples: 5000}),
    /3 requests in a row had no reply/,
  );
  const never = () => /** @type {Promise<Buffer>} */ (new Promise(() => {}));
  await assert.rejects(measure(never, patient), {code: 'PB_NO_REPLY'});
});

test('hits alone do not starve the event loop, and an abort ends them', async () => {
  clock.isInjected = false;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 20);
  const alone = /** @type {const} */ ({hitRatio: 1, samples: null});
  const {notes, beside} = await measure(echo, {...alone, durationMs: isQuick ? 100 : 400});
  clearInterval(timer);
  // A loop that never yields lets no timer fire; how many do on a busy host is not known.
  assert.ok(ticks > 0);
  assert.equal(notes.misses, 0);
  assert.ok(beside.hit.mean > 0 && beside.clock.count > 0);

  const life = new AbortController();
  setTimeout(() => life.abort(new Error('enough')), 10);
  await assert.rejects(measure(echo, {...alone, durationMs: 60_000, signal: life.signal}), /enough/);
});

test('after a lost request at the end of the warm-up, the measured part begins on a new connection', async () => {
  clock.isInjected = false;
  let sent = 0;
  const {counts, renewals} = await measure(
    async (payload) => {
      sent += 1;
      return sent === entries + 10 ? new Promise(() => {}) : payload;
    },
    {samples: 20, timeoutMs: 60, hitRatio: 0},
  );
  assert.deepEqual([counts.sent, counts.lost], [20, 0]);
  assert.equal(renewals, 1);
});
