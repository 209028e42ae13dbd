import {setTimeout as wait} from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import {RunError} from '../errors.js';

const RETRY_MS = 50;

/**
 * A killed process leaves its lock behind. A lock is taken over when it has not been renewed for this long; its
 * owner renews it twice as often.
 */
const STALE_MS = 10_000;

/**
 * Runs an action while holding the lock of a file, the folder `<file>.lock` beside it. The file need not exist.
 * Another process, or another call in this one, waits its turn.
 *
 * The library's own retries are not used: they would also repeat failures that cannot pass, such as a missing folder,
 * and no signal ends them.
 *
 * @template Result
 * @param {string} file an absolute path without symlinks, so that all ways to the file share one lock
 * @param {{waitMs: number, signal?: AbortSignal | undefined}} options waitMs: how long to wait for one's turn
 * @param {() => Promise<Result>} action short, for others wait meanwhile
 * @returns {Promise<Result>}
 * @throws {RunError} when the turn does not come in time
 * @throws what the signal was aborted with, or the error with which the lock's folder could not be made
 */
export async function withFileLock(file, {waitMs, signal}, action) {
  const release = await acquire(file, {deadline: performance.now() + waitMs, signal});
  try {
    return await action();
  } finally {
    // The work is done or its error is on its way; a lock that cannot be removed goes stale.
    await release().catch(() => {});
  }
}

/**
 * @param {string} file
 * @param {{deadline: number, signal?: AbortSignal | undefined}} options deadline on performance.now()
 * @returns {Promise<() => Promise<void>>} releases the lock
 */
async function acquire(file, {deadline, signal}) {
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await lockfile.lock(file, {realpath: false, stale: STALE_MS, onCompromised: ignoreLoss});
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ELOCKED') throw error;
      if (performance.now() >= deadline) throw timedOut(file, error);
    }
    await wait(RETRY_MS, undefined, {signal}).catch(() => signal?.throwIfAborted());
  }
}

/**
 * A process that is suspended while it holds the lock loses it. By default the library would end the process then, and
 * the whole battle with it.
 */
function ignoreLoss() {}

/** @param {string} file @param {unknown} cause @returns {RunError} */
function timedOut(file, cause) {
  return new RunError(
    `${file} is in use: another process has held its lock, ${file}.lock, all the time. ` +
      'Wait for that process to end, then try again.',
    {cause},
  );
}
