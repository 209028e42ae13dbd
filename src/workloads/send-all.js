import {performance} from 'node:perf_hooks';
import {setImmediate as yieldToEvents} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {Watchdog} from '../measure/bounds.js';
import {yieldEveryMs} from './load.js';

/**
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Until} from './workload.js'
 */

/** The clock is read once per this many messages. */
const messagesPerClockRead = 32;

/**
 * The number of timeouts that the other end may take to empty its buffers after the last send without visible progress. The kernels at both ends
 * of a connection hold about 10 MB, which is tens of thousands of small messages. A broker on a slow or busy host needs half a minute for them.
 */
export const flushingTimeouts = 12;

/**
 * @param {{timeoutMs: number}} options @param {number} timeouts
 * @returns {{ms: number, text: string}} text: for an error message
 */
export function timeoutsOf({timeoutMs}, timeouts) {
  const ms = timeoutMs * timeouts;
  return {ms, text: `${ms} ms (${timeouts === 1 ? '' : `${timeouts} × `}--timeout)`};
}

/**
 * The hot loop of one-way sending: sends one message after the other, and waits whenever the transport is full.
 * @param {{send: (payload: Buffer) => boolean, drained: () => Promise<void>}} outlet after false from send, `drained` must be awaited
 * @param {{ring: PayloadRing, progress: {sent: number}, signal: AbortSignal}} deps
 * @param {Until} until samples: of `progress.sent`
 */
export async function sendAll(outlet, {ring, progress, signal}, until) {
  let yieldedAt = performance.now();
  for (;;) {
    for (let count = 0; count < messagesPerClockRead && progress.sent < until.samples; count += 1) {
      progress.sent += 1;
      if (!outlet.send(ring.next())) await outlet.drained();
    }
    const now = performance.now();
    if (now >= until.atMs || progress.sent >= until.samples || signal.aborted) return;
    if (now - yieldedAt >= yieldEveryMs) {
      await yieldToEvents();
      yieldedAt = performance.now();
    }
  }
}

/**
 * Waits for work on messages, as long as it makes progress.
 * @param {Promise<unknown>} work
 * @param {{closed: Promise<void>, signal: AbortSignal, timeoutMs: number, moved: () => number, describe: () => string}} watch moved: returns the
 *   number of messages so far; describe: returns the error's message if this number does not change within the timeout
 * @throws {RunError} PB_STALLED, or the error of the work, the transport or the signal
 */
export async function whileMoving(work, {closed, signal, timeoutMs, moved, describe}) {
  const done = Promise.race([work, closed]).then(() => {});
  const {finished} = await new Watchdog(timeoutMs).guard(done, moved, signal);
  if (!finished) throw new RunError(describe(), {code: 'PB_STALLED'});
}
