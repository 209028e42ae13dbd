import assert from 'node:assert/strict';
import {test} from 'node:test';
import {mean, quantileSorted} from 'simple-statistics';
import {randomSource} from '../../../src/payload/random.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {summarize} from '../../../src/stats/summary.js';
import {measureRoundTrips} from '../../../src/workloads/rtt/client.js';
import {someOf} from '../../support/effort.js';
import {injectClock} from '../injected-clock.js';

const clock = injectClock();

/**
 * @param {(payload: Buffer) => Promise<Buffer>} request
 * @param {Record<string, any>} settings
 */
async function measure(request, settings = {}) {
  const {renewMs = 0, slices, ...options} = settings;
  const renewals = {count: 0};
  const client = {request, closed: new Promise(() => {}), close: async () => {}};
  const result = await measureRoundTrips({
    connection: {
      client: /** @type {any} */ (client),
      renew: async () => {
        renewals.count += 1;
        const until = performance.now() + renewMs;
        while (performance.now() < until);
        return true;
      },
    },
    ring: makePayloadRing({payloadBytes: 64, seed: 1}),
    options: {
      warmUp: {kind: 'count', count: 10},
      samples: 20_000,
      durationMs: null,
      timeoutMs: 10_000,
      retries: 0,
      answer: 'echo',
      seed: 1,
      ...options,
    },
    signal: settings.signal ?? new AbortController().signal,
    warmedUp: async () => {},
    slices: () => slices?.() ?? null,
    takeStrays: () => 0,
    onMeasured: () => {},
  });
  const {latency} = result;
  assert.ok(latency);
  return {...result, latency, summary: summarize(latency), renewals: renewals.count};
}

/** @param {number | null} actual @param {number} expected */
function withinOnePercent(actual, expected) {
  assert.ok(
    actual !== null && Math.abs(actual - expected) <= 0.01 * expected,
    `${actual} is not within 1 % of ${expected}`,
  );
}

const random = randomSource(11, 'delays');
/** @type {Record<string, () => number>} delays in ms */
const scripts = {
  'a bimodal delay': () => (random() < 0.3 ? 2 + random() * 0.2 : 0.1 + random() * 0.02),
  'a constant delay': () => 0.25,
  'rare stalls of 50 ms': () => (random() < 0.003 ? 50 : 0.2 + random() * 0.1),
  'a long tail': () => 0.05 / (1 - random()) ** 0.7,
};

for (const [name, delay] of someOf(Object.entries(scripts), 3)) {
  test(`with ${name} mean, percentiles, minimum and maximum come out within 1 % of the truth`, async () => {
    /** @type {number[]} */
    const truth = [];
    const {summary, counts} = await measure(async (payload) => {
      const ms = delay();
      clock.nowMs += ms;
      truth.push(ms);
      return payload;
    });
    const counted = truth.slice(10);
    const sorted = counted.toSorted((one, other) => one - other);
    assert.equal(summary.samples, 20_000);
    assert.equal(counts.verified, 20_000);
    withinOnePercent(summary.meanMs, mean(counted));
    withinOnePercent(summary.minMs, sorted[0]);
    withinOnePercent(summary.maxMs, /** @type {number} */ (sorted.at(-1)));
    for (const [figure, share] of /** @type {const} */ ([
      ['p50Ms', 0.5],
      ['p75Ms', 0.75],
      ['p90Ms', 0.9],
      ['p99Ms', 0.99],
      ['p999Ms', 0.999],
    ])) {
      withinOnePercent(summary[figure], quantileSorted(sorted, share));
    }
    assert.equal(summary.p99999Ms, null);
  });
}

test('with anatomy, the moments of the requests are added up: their distance is that of the round trips', async () => {
  const {moments, latency} = await measure(
    async (payload) => {
      clock.nowMs += 0.25 + random();
      return payload;
    },
    {samples: 500, anatomy: true},
  );
  assert.ok(moments);
  assert.equal(moments.messages, 500);
  const meanMs = (moments.endsMs - moments.beginsMs) / moments.messages;
  assert.ok(Math.abs(meanMs / (latency.mean / 1e6) - 1) < 1e-6, String(meanMs));
  assert.equal((await measure(async (payload) => payload, {samples: 20})).moments, undefined);
});

test('a request that outlives the timeout counts as timed out, at least at the timeout, on a new connection', async () => {
  clock.isInjected = false;
  let sent = 0;
  const {counts, summary, renewals} = await measure(
    async (payload) => {
      sent += 1;
      return sent === 15 ? new Promise(() => {}) : payload;
    },
    {samples: 20, timeoutMs: 60, warmUp: {kind: 'count', count: 0}},
  );
  assert.deepEqual([counts.sent, counts.received, counts.lost, counts.timedOut], [20, 19, 1, 1]);
  assert.ok(summary.maxMs >= 60, String(summary.maxMs));
  assert.equal(renewals, 1);
});

test('the time of a request that is sent again includes that of the new connection', async () => {
  clock.isInjected = false;
  for (const {retries, silentAttempts, leastMs} of [
    {retries: 1, silentAttempts: 1, leastMs: 30 + 40},
    {retries: 2, silentAttempts: 2, leastMs: 2 * (30 + 40)},
    // Lost: its time ends with the timeout of its last attempt.
    {retries: 1, silentAttempts: 2, leastMs: 30 + 40 + 30},
  ]) {
    let sent = 0;
    const {counts, summary} = await measure(
      async (payload) => {
        sent += 1;
        return sent > 5 && sent <= 5 + silentAttempts ? new Promise(() => {}) : payload;
      },
      {samples: 20, timeoutMs: 30, retries, renewMs: 40, warmUp: {kind: 'count', count: 0}},
    );
    assert.equal(counts.timedOut, silentAttempts);
    assert.ok(summary.maxMs >= leastMs, `${summary.maxMs} ms, not ${leastMs} ms`);
  }
});

test('a reply that arrives after its timeout is ignored', async () => {
  clock.isInjected = false;
  let sent = 0;
  /** @type {() => void} */
  let answerLate = () => {};
  const {counts} = await measure(
    async (payload) => {
      sent += 1;
      const copy = Buffer.from(payload);
      if (sent === 5)
        await new Promise((resolve) => {
          answerLate = () => resolve(null);
        });
      if (sent === 100) answerLate();
      return copy;
    },
    {samples: 300, timeoutMs: 200, warmUp: {kind: 'count', count: 0}},
  );
  assert.deepEqual([counts.sent, counts.verified, counts.timedOut], [300, 299, 1]);
});

test('a server that never answers is given up: at once in the warm-up, after three requests later', async () => {
  clock.isInjected = false;
  const silent = () => /** @type {Promise<Buffer>} */ (new Promise(() => {}));
  await assert.rejects(measure(silent, {timeoutMs: 30}), {code: 'PB_NO_REPLY'});
  const settings = /** @type {const} */ ({timeoutMs: 30, warmUp: {kind: 'count', count: 0}});
  await assert.rejects(measure(silent, settings), /3 requests in a row had no reply within 30 ms/);
});

test('a reply with wrong bytes, and the reply to an earlier request, fail the trial', async () => {
  const flip = async (/** @type {Buffer} */ payload) => {
    const reply = Buffer.from(payload);
    reply[40] ^= 1;
    return reply;
  };
  await assert.rejects(measure(flip), /offset 40/);
  let last = Buffer.alloc(64);
  const stale = async (/** @type {Buffer} */ payload) => {
    const reply = last;
    last = Buffer.from(payload);
    return reply;
  };
  await assert.rejects(measure(stale), {code: 'PB_WRONG_REPLY'});
});

test('a transport that answers at once does not starve the event loop', async () => {
  clock.isInjected = false;
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 20);
  await measure(async (payload) => payload, {samples: null, durationMs: 200});
  clearInterval(timer);
  // A loop that never yields lets no timer fire; how many do on a busy host is not known.
  assert.ok(ticks > 0);
});

test('an abort ends the measuring with its reason', async () => {
  clock.isInjected = false;
  const life = new AbortController();
  setTimeout(() => life.abort(new Error('enough')), 10);
  await assert.rejects(
    measure(async (payload) => payload, {samples: null, durationMs: 60_000, signal: life.signal}),
    /enough/,
  );
});

test('in slices, what is sent at the begin of each is not counted, nor is what happens between them', async () => {
  const slices = Array.from({length: 4}, () => ({discardMs: 2, ms: 10, samples: 1}));
  /** @type {number[]} */
  const begins = [];
  let cold = 0;
  const {counts, summary, warmUp, usage} = await measure(
    async (payload) => {
      clock.nowMs += cold > 0 ? 1 : 0.25;
      cold -= 1;
      return payload;
    },
    {
      slices: async function* () {
        for (const slice of slices) {
          clock.nowMs += 500;
          cold = 2;
          yield {...slice, counted: (/** @type {number} */ ms) => begins.push(ms)};
        }
      },
    },
  );
  assert.deepEqual([counts.sent, summary.minMs, summary.maxMs], [160, 0.25, 0.25]);
  assert.equal(warmUp.discarded, 10 + 4 * 2);
  assert.ok(Math.abs(usage.wallMs - 40) < 1e-6, `${usage.wallMs}`);
  assert.equal(begins.length, 4);
});

test('a slice has its number of samples, where a number is asked for', async () => {
  const {counts} = await measure(
    async (payload) => {
      clock.nowMs += 3;
      return payload;
    },
    {
      slices: async function* () {
        for (const samples of [7, 5]) yield {discardMs: 1, ms: 0, samples, counted() {}};
      },
    },
  );
  assert.equal(counts.sent, 12);
});

test('timeouts in a row are counted over slices, and a slice after one has a new connection', async () => {
  clock.isInjected = false;
  const slices = async function* () {
    for (let count = 0; count < 20; count += 1) yield {discardMs: 1, ms: 2, samples: 1, counted() {}};
  };
  let sent = 0;
  const silentFrom =
    (/** @type {number} */ first, /** @type {number} */ last) => async (/** @type {Buffer} */ payload) => {
      sent += 1;
      return sent >= first && sent <= last ? new Promise(() => {}) : Buffer.from(payload);
    };
  await assert.rejects(measure(silentFrom(11, Number.POSITIVE_INFINITY), {timeoutMs: 16, slices}), {
    code: 'PB_NO_REPLY',
    message: /3 requests in a row/,
  });
  assert.equal(sent, 13);
  sent = 0;
  const {counts, renewals} = await measure(silentFrom(100, 101), {timeoutMs: 16, slices});
  assert.ok(counts.timedOut <= 2 && counts.lost === counts.timedOut && renewals === 2, `${renewals}`);
});

test('after a lost request at the end of the warm-up, the measured part begins on a new connection', async () => {
  clock.isInjected = false;
  let sent = 0;
  const {counts, renewals} = await measure(
    async (payload) => {
      sent += 1;
      return sent === 10 ? new Promise(() => {}) : payload;
    },
    {samples: 20, timeoutMs: 60, warmUp: {kind: 'count', count: 10}},
  );
  assert.deepEqual([counts.sent, counts.lost], [20, 0]);
  assert.equal(renewals, 1);
});
