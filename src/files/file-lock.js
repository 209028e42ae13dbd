import {randomUUID} from 'node:crypto';
import {
  closeSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import {setTimeout as wait} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {isRunning, thisProcess} from '../measure/system.js';

/**
 * @import {ProcessIdentity} from '../measure/types.js'
 *
 * @typedef {object} Held an existing lock
 * @property {'owned' | 'empty' | 'strange'} kind empty: the owner was killed before it wrote its identity, or the lock is a
 *   folder of an earlier version; strange: another file has the name of the lock
 * @property {ProcessIdentity | null} owner
 * @property {string} state changes when another process takes the lock, or the owner renews it
 * @property {number} mtimeMs
 * @property {boolean} isFolder
 */

const retryMs = 50;

/** The owner renews its lock at this interval. */
const renewEveryMs = 1000;

/** The lock of a process on another host or in another container is taken over when it was not renewed for this time. */
const unrenewedMs = 5000;

/** A process writes its identity at once, so a lock without an owner is an orphan if its time is further from now than this. */
const ownerlessMs = 2000;

const maxLockBytes = 4096;

/**
 * Runs an action while it holds the lock of a file: `<file>.lock`, which contains the identity of the process. The file need
 * not exist. Other processes, and other calls in this process, wait for the lock. A lock whose owner has ended is taken over.
 * @template Result
 * @param {string} file an absolute path without symlinks, so that all paths of the file share one lock
 * @param {{waitMs: number, signal?: AbortSignal | undefined}} options waitMs: the time limit of the wait
 * @param {() => Result | Promise<Result>} action should be short, because others wait
 * @throws {RunError} when the lock is not available in time
 * @throws the signal's reason, or the error of creating the lock
 */
export async function withFileLock(file, {waitMs, signal}, action) {
  const lock = `${file}.lock`;
  const content = await acquire(file, lock, {deadline: performance.now() + waitMs, signal});
  const renewal = setInterval(() => renew(lock), renewEveryMs).unref();
  try {
    return await action();
  } finally {
    clearInterval(renewal);
    release(lock, content);
  }
}

/**
 * @param {string} file @param {string} lock
 * @param {{deadline: number, signal?: AbortSignal | undefined}} options deadline: by performance.now()
 * @returns {Promise<string>} the content of the lock
 */
async function acquire(file, lock, {deadline, signal}) {
  const content = JSON.stringify({...(await thisProcess()), id: randomUUID()});
  let seen = {state: '', since: 0};
  for (;;) {
    signal?.throwIfAborted();
    if (create(lock, content)) return content;
    const held = read(lock);
    if (held === null) continue;
    if (held.kind === 'strange') throw notALock(file, lock);
    if (held.state !== seen.state) seen = {state: held.state, since: performance.now()};
    if (await isOrphan(held, performance.now() - seen.since)) {
      const waitMs = Math.max(0, deadline - performance.now());
      // If two processes find an orphan, the second must not remove the new lock of the first.
      await withFileLock(lock, {waitMs, signal}, () => {
        if (read(lock)?.state === held.state) remove(lock, held);
      });
      continue;
    }
    if (performance.now() >= deadline) throw timedOut(file, held);
    await wait(retryMs, undefined, {signal}).catch(() => signal?.throwIfAborted());
  }
}

/** @param {string} lock @param {string} content @returns {boolean} whether the lock was free */
function create(lock, content) {
  let descriptor;
  try {
    descriptor = openSync(lock, 'wx');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(descriptor, content);
    return true;
  } catch (error) {
    // The usual cause is a full disk.
    unlinkSync(lock);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** @param {string} lock @returns {Held | null} null: the lock no longer exists */
function read(lock) {
  try {
    const stats = lstatSync(lock);
    const {mtimeMs, ino, size} = stats;
    const isFolder = stats.isDirectory();
    const isReadable = stats.isFile() && size <= maxLockBytes;
    const content = isReadable ? readFileSync(lock, 'utf8') : '';
    const owner = ownerIn(content);
    const isEmpty = isFolder ? readdirSync(lock).length === 0 : isReadable && content === '';
    const kind = owner ? 'owned' : isEmpty ? 'empty' : 'strange';
    return {kind, owner, state: `${ino} ${mtimeMs} ${content}`, mtimeMs, isFolder};
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string} content @returns {ProcessIdentity | null} */
function ownerIn(content) {
  try {
    const owner = JSON.parse(content);
    return Number.isInteger(owner?.pid) && owner.pid > 0 && typeof owner.hostname === 'string' ? owner : null;
  } catch {
    return null;
  }
}

/**
 * Returns whether the owner of a lock has ended, so that nobody will release it.
 * @param {Held} held
 * @param {number} unchangedMs how long this process has seen the lock unchanged
 */
async function isOrphan({owner, mtimeMs}, unchangedMs) {
  // The time of the lock may be in the future, by the clock of another host.
  if (owner === null) return Math.abs(Date.now() - mtimeMs) > ownerlessMs;
  const runs = await isRunning(owner);
  return runs === null ? unchangedMs > unrenewedMs : !runs;
}

/** @param {string} lock @param {Pick<Held, 'isFolder'>} held */
function remove(lock, {isFolder}) {
  if (isFolder) rmdirSync(lock);
  else unlinkSync(lock);
}

/** @param {string} lock */
function renew(lock) {
  const now = new Date();
  try {
    utimesSync(lock, now, now);
  } catch {
    // Another process has taken the lock while this process was suspended.
  }
}

/** Ignores errors: the action's result matters more, and others take over a lock that stays. @param {string} lock @param {string} content */
function release(lock, content) {
  try {
    if (readFileSync(lock, 'utf8') === content) unlinkSync(lock);
  } catch {
    // Ignored.
  }
}

/** @param {string} file @param {Held} held */
function timedOut(file, {owner}) {
  const whose = owner === null ? 'another process' : `process ${owner.pid} on ${owner.hostname}`;
  return new RunError(
    `${file} is in use: ${whose} holds its lock, ${file}.lock. Wait for that process to end, then try again.`,
  );
}

/** @param {string} file @param {string} lock */
function notALock(file, lock) {
  return new RunError(
    `${lock} is not a lock of perf-battle, but has the name of the lock of ${file}. Move it away.`,
  );
}
