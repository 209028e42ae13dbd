import {performance} from 'node:perf_hooks';
import {setImmediate as breathe} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {Recorder} from '../measure/recorder.js';
import {readUsage, usageSince} from '../measure/usage.js';
import {warmUpBy} from '../measure/warm-up.js';
import {Watchdog} from '../measure/watchdog.js';
import {MessageCheck} from '../payload/message-check.js';
import {boundsOf, breatheEveryMs, noCounts} from './load.js';

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
  const {options} = context;
  const recorder = new Recorder();
  const check = new MessageCheck(context.ring, {answer: options.answer, every: 1});
  const exchange = {context, recorder, check};
  const warmUp = await warmUpBy(options.warmUp, recorder, (until) => exchangeOrFail(exchange, until));
  await context.warmedUp();
  recorder.reset();

  const before = readUsage();
  const failed = await exchangeUntil(exchange, boundsOf(options));
  const usage = usageSince(before);
  context.onPhase('measured');

  const received = recorder.count - failed.lost;
  const latency = recorder.finish();
  return {
    latency,
    timed: {messages: latency.count, ms: (latency.mean * latency.count) / 1e6},
    counts: {
      ...noCounts,
      ...failed,
      sent: latency.count,
      received,
      verified: received,
    },
    warmUp,
    usage,
  };
}

/**
 * @typedef {{context: import('./index.js').WorkloadContext, recorder: Recorder, check: MessageCheck}} Exchange
 */

/**
 * In the warm-up a request without a reply is the end: there is nothing to measure.
 * @param {Exchange} exchange
 * @param {import('./load.js').Until} until
 */
async function exchangeOrFail(exchange, until) {
  const {finished} = await exchangeUnderWatch(exchange, until, 0);
  if (!finished) throw noReply(exchange.context, 'A request');
}

/**
 * Round trips until the end is reached; after a timeout on a new connection, so that a late reply cannot answer the next
 * request. A request that is sent again is one request still, whose time begins with the first attempt.
 * @param {Exchange} exchange
 * @param {import('./load.js').Until} until
 * @returns {Promise<{timedOut: number, retried: number, lost: number}>} the time of each lost one is among the samples
 */
async function exchangeUntil(exchange, until) {
  const {context, recorder} = exchange;
  const failed = {timedOut: 0, retried: 0, lost: 0};
  let inARow = 0;
  let attempts = 0;
  let spentMs = 0;
  for (;;) {
    const countBefore = recorder.count;
    const {finished, waitedMs} = await exchangeUnderWatch(exchange, until, spentMs);
    if (finished) return failed;
    if (recorder.count > countBefore) [inARow, attempts, spentMs] = [0, 0, 0];
    failed.timedOut += 1;
    inARow += 1;
    if (attempts < context.options.retries) {
      attempts += 1;
      failed.retried += 1;
      spentMs += waitedMs;
    } else {
      recorder.record(spentMs + waitedMs);
      failed.lost += 1;
      [attempts, spentMs] = [0, 0];
      if (inARow >= mostTimeoutsInARow * (1 + context.options.retries))
        throw noReply(context, `${inARow} requests in a row`);
      if (recorder.count >= until.samples || performance.now() >= until.atMs) return failed;
    }
    await context.connection.renew();
  }
}

/**
 * @param {Exchange} exchange
 * @param {import('./load.js').Until} until
 * @param {number} spentMs on earlier attempts of the first request
 * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request outlived the timeout
 */
async function exchangeUnderWatch(exchange, until, spentMs) {
  const {options, signal} = exchange.context;
  const watch = {abandoned: false};
  const work = exchangeRequests(exchange, until, watch, spentMs);
  try {
    return await new Watchdog(options.timeoutMs).guard(work, () => exchange.recorder.count, signal);
  } finally {
    watch.abandoned = true;
  }
}

/**
 * The hot loop.
 * @param {Exchange} exchange
 * @param {import('./load.js').Until} until
 * @param {{abandoned: boolean}} watch abandoned: the watchdog gave up; a reply that comes now belongs to nobody
 * @param {number} spentMs
 */
async function exchangeRequests({context: {connection, ring}, recorder, check}, until, watch, spentMs) {
  const {client} = connection;
  let breathedAt = performance.now();
  let earlierMs = spentMs;
  for (;;) {
    const sequence = ring.taken;
    const request = ring.next();
    const before = performance.now();
    const reply = await client.request(request);
    const after = performance.now();
    if (watch.abandoned) return;
    recorder.record(after - before + earlierMs);
    earlierMs = 0;
    check.check(reply, sequence);
    if (after >= until.atMs || recorder.count >= until.samples) return;
    if (after - breathedAt >= breatheEveryMs) {
      await breathe();
      breathedAt = performance.now();
    }
  }
}

/** @param {import('./index.js').WorkloadContext} context @param {string} what */
function noReply({options: {timeoutMs}}, what) {
  return new RunError(`${what} had no reply within ${timeoutMs} ms (--timeout).`, {code: 'PB_NO_REPLY'});
}
