import {setMaxListeners} from 'node:events';

/**
 * How waits are bounded in this program. `AbortSignal.any` and `AbortSignal.timeout` are not used. A combined signal on which only listeners
 * wait may never fire once garbage was collected: on Node.js 20 if it has a time (https://github.com/nodejs/node/issues/57736), on 24 and 26 also
 * without (https://github.com/nodejs/node/issues/65995).
 */

/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Does some work with a signal that aborts when a time is over, when `giveUp` is called, or when the given signal aborts. The work must obey
 * its signal: its own clean-up is waited for.
 * @template Result
 * @param {number} ms at most 2³¹ − 1; Infinity: without a bound in time
 * @param {AbortSignal | null} signal null: only time ends it
 * @param {(signal: AbortSignal, giveUp: (reason: Error) => void) => Promise<Result>} work
 * @returns {Promise<Result>}
 * @throws what the work throws: the signal's reason, where it obeys it. That is a TimeLimitError when the time is over.
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

/** The time of `within` was over. Its caller knows what took too long, and says so. */
export class TimeLimitError extends Error {
  /** @param {number} ms */
  constructor(ms) {
    super(`It took longer than ${ms / 1000} s.`);
    this.name = 'TimeLimitError';
  }
}

/**
 * @template Value
 * @param {Promise<Value>} event
 * @param {AbortSignal} signal
 * @returns {Promise<Value>}
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
