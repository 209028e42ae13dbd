import {performance} from 'node:perf_hooks';
import {setImmediate as breathe} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {Watchdog} from '../measure/watchdog.js';
import {checkReply} from '../payload/check-reply.js';

/** A transport that answers at once would never let the event loop turn; this often it is made to. */
const breatheEveryMs = 10;
/** A server that leaves this many requests in a row unanswered is given up. */
const mostTimeoutsInARow = 3;

/**
 * One request outstanding: the next is sent when the whole reply to the last is in hand. What is timed is the request call
 * alone; taking the payload, recording and checking every byte of the reply happen between two round trips.
 *
 * @param {import('./index.js').WorkloadContext} context
 * @returns {Promise<import('./index.js').WorkloadResult>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or what the transport rejects with when its connection dies
 */
export async function measureRoundTrips(context) {
  const recorder = new Recorder();
  const warmUp = await warmUpBy(context.warmUp, recorder, (until) =>
    exchangeOrFail(context, recorder, until),
  );
  recorder.reset();

  const before = readUsage();
  context.onPhase('measuring');
  const timedOut = await exchangeUntil(context, recorder, {
    samples: context.samples ?? Number.POSITIVE_INFINITY,
    atMs: performance.now() + (context.durationMs ?? Number.POSITIVE_INFINITY),
  });
  const usage = usageSince(before);
  context.onPhase('measured');

  const received = recorder.count - timedOut;
  return {
    histogram: recorder.finish(),
    counts: {
      sent: recorder.count,
      received,
      lost: timedOut,
      verified: received,
      duplicated: 0,
      retried: 0,
      timedOut,
    },
    warmUp,
    usage,
  };
}

/**
 * @typedef {{samples: number, atMs: number}} Until the recorder's count, or the time by performance.now(), whichever is first
 */

/**
 * In the warm-up a request without a reply is the end: there is nothing to measure.
 * @param {import('./index.js').WorkloadContext} context
 * @param {Recorder} recorder
 * @param {Until} until
 */
async function exchangeOrFail(context, recorder, until) {
  const {finished} = await exchangeUnderWatch(context, recorder, until);
  if (!finished) throw noReply(context, 'A request');
}

/**
 * Round trips until the end is reached; after a timeout on a new connection, so that a late reply cannot answer the next
 * request.
 * @param {import('./index.js').WorkloadContext} context
 * @param {Recorder} recorder
 * @param {Until} until
 * @returns {Promise<number>} how many requests timed out; the time of each is among the samples
 */
async function exchangeUntil(context, recorder, until) {
  let timedOut = 0;
  let inARow = 0;
  for (;;) {
    const countBefore = recorder.count;
    const {finished, waitedMs} = await exchangeUnderWatch(context, recorder, until);
    if (finished) return timedOut;
    inARow = recorder.count === countBefore ? inARow + 1 : 1;
    timedOut += 1;
    recorder.record(waitedMs);
    if (inARow === mostTimeoutsInARow) throw noReply(context, `${inARow} requests in a row`);
    if (recorder.count >= until.samples || performance.now() >= until.atMs) return timedOut;
    await context.connection.renew();
  }
}

/**
 * @param {import('./index.js').WorkloadContext} context
 * @param {Recorder} recorder
 * @param {Until} until
 * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request outlived the timeout
 */
async function exchangeUnderWatch({connection, ring, timeoutMs, signal}, recorder, until) {
  const watch = {abandoned: false};
  const exchange = exchangeRequests(connection.client, ring, recorder, until, watch);
  try {
    return await new Watchdog(timeoutMs).guard(exchange, () => recorder.count, signal);
  } finally {
    watch.abandoned = true;
  }
}

/**
 * The hot loop.
 * @param {import('../transports/index.js').Client} client
 * @param {import('../payload/ring.js').PayloadRing} ring
 * @param {Recorder} recorder
 * @param {Until} until
 * @param {{abandoned: boolean}} watch abandoned: the watchdog gave up; a reply that comes now belongs to nobody
 */
async function exchangeRequests(client, ring, recorder, until, watch) {
  let breathedAt = performance.now();
  for (;;) {
    const request = ring.next();
    const before = performance.now();
    const reply = await client.request(request);
    const after = performance.now();
    if (watch.abandoned) return;
    recorder.record(after - before);
    checkReply(reply, request);
    if (after >= until.atMs || recorder.count >= until.samples) return;
    if (after - breathedAt >= breatheEveryMs) {
      await breathe();
      breathedAt = performance.now();
    }
  }
}

/** @param {import('./index.js').WorkloadContext} context @param {string} what */
function noReply({timeoutMs}, what) {
  return new RunError(`${what} had no reply within ${timeoutMs} ms (--timeout).`, {code: 'PB_NO_REPLY'});
}
