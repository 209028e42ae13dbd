import {performance} from 'node:perf_hooks';
import {RunError} from '../errors.js';
import {Watchdog} from '../measure/bounds.js';
import {isOver} from './load.js';

/** @import {Until, Watch, WorkloadContext} from './workload.js' */

/** The client gives up after this many consecutive requests without a reply. */
const maxTimeoutsInARow = 3;

/**
 * State of the parts of a measurement so far.
 *
 * @typedef {object} Timeouts
 * @property {number} inARow consecutive timeouts
 * @property {boolean} isLate whether the reply to a lost request may still come
 */

/**
 * Consecutive requests: each request is sent when the previous one is answered.
 *
 * @typedef {object} Exchange
 * @property {WorkloadContext<{retries: number}>} context
 * @property {number} count samples so far
 * @property {number} asked number of samples that went to the server
 * @property {Timeouts} [timeouts] needed if the requests are divided into parts
 * @property {(ms: number) => void} lose records a lost request and its time
 * @property {(until: Until, watch: Watch, spentMs: number) => Promise<void>} run
 *   the hot loop; spentMs: time since the first attempt of its first request, which it sends again
 */

/**
 * Sends requests up to a bound. A request without a reply is an error.
 * @param {Exchange} exchange @param {Until} until @throws {RunError} PB_NO_REPLY
 */
export async function exchangeOrFail(exchange, until) {
  const {finished} = await exchangeUnderWatch(exchange, until, 0);
  if (!finished) throw noReply(exchange.context, 'A request');
}

/**
 * Sends requests up to a bound. After a timeout it opens a new connection, so that a late reply cannot be mistaken for the next reply. A
 * request that is sent again counts once. Its time starts with the first attempt and includes the new connection. A server that does not
 * accept the connection in time counts as one more request without a reply.
 * @param {Exchange} exchange @param {Until} until
 * @returns {Promise<{timedOut: number, retried: number, lost: number}>} the samples include the time of each lost request
 * @throws {RunError} PB_NO_REPLY
 */
export async function exchangeUntil(exchange, until) {
  const {context, timeouts = {inARow: 0, isLate: false}} = exchange;
  const {retries, timeoutMs} = context.options;
  const failed = {timedOut: 0, retried: 0, lost: 0};
  let attempts = 0;
  /** Time of the first attempt of the request to send again. @type {number | null} */
  let firstAt = null;
  let renewedAt = performance.now();
  let isConnected = !timeouts.isLate || (await context.connection.renew());
  timeouts.isLate = false;
  for (;;) {
    const askedBefore = exchange.asked;
    /** @type {number} */
    const spentMs = firstAt === null ? 0 : performance.now() - firstAt;
    const {finished, waitedMs} = isConnected
      ? await exchangeUnderWatch(exchange, until, spentMs)
      : {finished: false, waitedMs: Math.max(timeoutMs, performance.now() - renewedAt)};
    if (exchange.asked > askedBefore) timeouts.inARow = 0;
    if (finished) return failed;
    const now = performance.now();
    if (exchange.asked > askedBefore) [attempts, firstAt] = [0, null];
    firstAt ??= now - waitedMs;
    failed.timedOut += 1;
    timeouts.inARow += 1;
    if (attempts < retries) {
      attempts += 1;
      failed.retried += 1;
    } else {
      exchange.lose(now - firstAt);
      failed.lost += 1;
      [attempts, firstAt] = [0, null];
      if (timeouts.inARow >= maxTimeoutsInARow * (1 + retries))
        throw noReply(context, `${timeouts.inARow} requests in a row`);
      timeouts.isLate = isOver(until, exchange.count, now);
      if (timeouts.isLate) return failed;
    }
    renewedAt = performance.now();
    isConnected = await context.connection.renew();
  }
}

/**
 * @param {Exchange} exchange @param {Until} until @param {number} spentMs
 * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request exceeded the timeout
 */
async function exchangeUnderWatch(exchange, until, spentMs) {
  const {options, signal} = exchange.context;
  const watch = {abandoned: false};
  const work = exchange.run(until, watch, spentMs);
  try {
    return await new Watchdog(options.timeoutMs).guard(work, () => exchange.count, signal);
  } finally {
    watch.abandoned = true;
  }
}

/** @param {WorkloadContext} context @param {string} what */
function noReply({options: {timeoutMs}}, what) {
  return new RunError(`${what} had no reply within ${timeoutMs} ms (--timeout).`, {code: 'PB_NO_REPLY'});
}
