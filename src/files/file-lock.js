import {setTimeout as wait} from 'node:timers/promises';
import lockfile from 'proper-lockfile';
import {RunError} from '../errors.js';

const RETRY_MS = 50;

/**
 * A killed process leaves its lock behind. Another process may take a lock that was not renewed for this long. The
 * owner renews it after half of this time.
 */
const STALE_MS = 10_000;

/**
 * Runs an action while it holds the lock of a file: the folder `<file>.lock` beside it. The file need not exist.
 * Other processes, and other calls in this process, wait for the lock.
 *
 * The library's own retries are not used: they also repeat permanent failures, such as a missing folder, and a signal
 * does not end them.
 *
 * @template Result
 * @param {string} file an absolute path without symlinks, so that all paths of the file share one lock
 * @param {{waitMs: number, signal?: AbortSignal | undefined}} options waitMs: how long to wait for the lock
 * @param {() => Promise<Result>} action should be short, because others wait for it
 * @returns {Promise<Result>}
 * @throws {RunError} when the lock is not available in time
 * @throws the signal's reason, or the error of creating the lock's folder
 */
export async function withFileLock(file, {waitMs, signal}, action) {
  const release = await acquire(file, {deadline: performance.now() + waitMs, signal});
  try {
    return await action();
  } finally {
    // The action's result or error matters more; a lock that cannot be removed expires.
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
 * A process that is suspended while it holds the lock loses the lock. By default the library then ends the process,
 * and with it the whole battle.
 */
function ignoreLoss() {}

/** @param {string} file @param {unknown} cause @returns {RunError} */
function timedOut(file, cause) {
  return new RunError(
    `${file} is in use: another process holds its lock, ${file}.lock. Wait for that process to end, then try again.`,
    {cause},
  );
}
