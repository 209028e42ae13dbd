import {setMaxListeners} from 'node:events';
import {performance} from 'node:perf_hooks';

/**
 * Bounded waits. This program uses neither `AbortSignal.any` nor `AbortSignal.timeout`. After a garbage collection, a combined signal that only
 * listeners hold may never fire: on Node.js 20 if it has a timeout (https://github.com/nodejs/node/issues/57736), on 24 and 26 also without a timeout
 * (https://github.com/nodejs/node/issues/65995).
 */

/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Does some work with a signal that aborts after a time, when `giveUp` is called, or when the given signal aborts. The work must obey the
 * signal, because `within` waits for the work to clean up.
 * @template Result
 * @param {number} ms at most 2³¹ − 1; Infinity for no time limit
 * @param {AbortSignal | null} signal null if only the time limit ends the work
 * @param {(signal: AbortSignal, giveUp: (reason: Error) => void) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws the error of the work, which is the reason of the signal if the work obeys it: a TimeLimitError after the time limit
 */
export async function within(ms, signal, work) {
  const bounded = new AbortController();
  // A trial has as many listeners as it has roles.
  setMaxListeners(0, bounded.signal);
  const giveUp = (/** @type {Error} */ reason) => bounded.abort(reason);
  const passOn = () => giveUp(signal?.reason);
  if (signal?.aborted) passOn();
  signal?.addEventListener('abort', passOn);
  // The timer keeps the controller, and the process, until the work is done.
  const timer =
    ms === Infinity ? undefined : setTimeout(() => giveUp(new TimeLimitError(ms)), Math.min(ms, maxTimerMs));
  try {
    return await work(bounded.signal, giveUp);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', passOn);
  }
}

/** The time limit of `within` was exceeded. The caller turns this error into a message that says what took too long. */
export class TimeLimitError extends Error {
  /** @param {number} ms */
  constructor(ms) {
    super(`It took longer than ${ms / 1000} s.`);
    this.name = 'TimeLimitError';
  }
}

/**
 * @template Value
 * @param {Promise<Value>} event @param {AbortSignal} signal @returns {Promise<Value>}
 * @throws the event's error, or the signal's reason if the signal comes first
 */
export async function untilAborted(event, signal) {
  let onAbort = () => {};
  /** @type {Promise<never>} */
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, {once: true});
  });
  try {
    return await Promise.race([event, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Detects that a loop of requests makes no progress. One timer serves the whole loop and checks periodically whether the count
 * has changed, so there is no work per request.
 */
export class Watchdog {
  /** @param {number} timeoutMs of a request; a longer wait is detected at most an eighth of the timeout later */
  constructor(timeoutMs) {
    this.timeoutMs = timeoutMs;
    this.intervalMs = Math.max(1, Math.min(1000, timeoutMs / 8));
  }

  /**
   * @param {Promise<void>} work
   * @param {() => number} progress grows with every finished request
   * @param {AbortSignal} signal
   * @returns {Promise<{finished: boolean, waitedMs: number}>} finished: false when a request exceeded the timeout, after which the
   *   caller must abandon the work; waitedMs: the observed wait of that request
   * @throws the work's error, or the signal's reason
   */
  async guard(work, progress, signal) {
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    let onAbort = () => {};
    const stalled = new Promise((resolve, reject) => {
      let lastProgress = progress();
      let since = performance.now();
      timer = setInterval(() => {
        const now = performance.now();
        if (progress() !== lastProgress) {
          lastProgress = progress();
          since = now;
        } else if (now - since >= this.timeoutMs) {
          resolve({finished: false, waitedMs: now - since});
        }
      }, this.intervalMs);
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort, {once: true});
      if (signal.aborted) onAbort();
    });
    try {
      return await Promise.race([work.then(() => ({finished: true, waitedMs: 0})), stalled]);
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', onAbort);
      work.catch(() => {});
      stalled.catch(() => {});
    }
  }
}
