import {performance} from 'node:perf_hooks';
import {setImmediate as breathe} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {Watchdog} from '../measure/watchdog.js';
import {breatheEveryMs} from './load.js';

/** The clock is read once for so many messages. */
const messagesPerLook = 32;

/**
 * The hot loop of whoever sends one way: one message after the other, waiting whenever the transport is full.
 * @param {{send: (payload: Buffer) => boolean, drained: () => Promise<void>}} outlet send false: `drained` first
 * @param {{ring: import('../payload/ring.js').PayloadRing, progress: {sent: number}, signal: AbortSignal}} means
 * @param {import('./load.js').Until} until samples: of `progress.sent`
 */
export async function pour(outlet, {ring, progress, signal}, until) {
  let breathedAt = performance.now();
  for (;;) {
    for (let count = 0; count < messagesPerLook && progress.sent < until.samples; count += 1) {
      progress.sent += 1;
      if (!outlet.send(ring.next())) await outlet.drained();
    }
    const now = performance.now();
    if (now >= until.atMs || progress.sent >= until.samples || signal.aborted) return;
    if (now - breathedAt >= breatheEveryMs) {
      await breathe();
      breathedAt = performance.now();
    }
  }
}

/**
 * Waits for work that moves messages, as long as it does.
 * @param {Promise<unknown>} work
 * @param {{closed: Promise<void>, signal: AbortSignal, timeoutMs: number, moved: () => number, describe: () => string}} watch moved: how
 *   many messages so far; describe: what an error says when the number stood still for the timeout
 * @throws {RunError} PB_STALLED, or what the work, the transport or the signal ends with
 */
export async function whileMoving(work, {closed, signal, timeoutMs, moved, describe}) {
  const done = Promise.race([work, closed]).then(() => {});
  const {finished} = await new Watchdog(timeoutMs).guard(done, moved, signal);
  if (!finished) throw new RunError(describe(), {code: 'PB_STALLED'});
}
