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
 * @typedef {object} Held a lock that is there
 * @property {'owned' | 'empty' | 'strange'} kind empty: its owner was killed before it wrote who it is, or it is the folder that an earlier version
 *   made; strange: something else has its name
 * @property {ProcessIdentity | null} owner
 * @property {string} state differs when another process has the lock, or its owner has renewed it
 * @property {number} mtimeMs
 * @property {boolean} isFolder
 */

const retryMs = 50;

/** While it is held, a lock is renewed this often. */
const renewEveryMs = 1000;

/** The lock of a process that cannot be seen from here, on another host or in another container, is taken when it was not renewed for this long. */
const unrenewedMs = 5000;

/** A lock has its owner as soon as it is there. One that has none may be this much older, or newer by the clock of another host. */
const ownerlessMs = 2000;

const maxLockBytes = 4096;

/**
 * Runs an action while it holds the lock of a file: `<file>.lock` beside it, which says which process has it. The file need not exist. Other
 * processes, and other calls in this process, wait for the lock. One whose owner has ended is taken over at once.
 * @template Result
 * @param {string} file an absolute path without symlinks, so that all paths of the file share one lock
 * @param {{waitMs: number, signal?: AbortSignal | undefined}} options waitMs: how long to wait for the lock
 * @param {() => Result | Promise<Result>} action should be short, because others wait for it
 * @returns {Promise<Result>}
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
 * @param {{deadline: number, signal?: AbortSignal | undefined}} options deadline on performance.now()
 * @returns {Promise<string>} what the lock contains
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
      // Of two processes that find an orphan, the second must not remove the lock of the first.
      await withFileLock(lock, {waitMs, signal}, () => {
        if (read(lock)?.state === held.state) remove(lock, held);
      });
      continue;
    }
    if (performance.now() >= deadline) throw timedOut(file, held);
    await wait(retryMs, undefined, {signal}).catch(() => signal?.throwIfAborted());
  }
}

/** @param {string} lock @param {string} content @returns {boolean} whether it was not there */
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
    // The disk is full.
    unlinkSync(lock);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** @param {string} lock @returns {Held | null} null: it is gone */
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
 * Whether nobody will release a lock any more.
 * @param {Held} held
 * @param {number} unchangedMs for how long it was seen as it is
 */
async function isOrphan({owner, mtimeMs}, unchangedMs) {
  // Its time may be in the future.
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
    // Another process took it while this one was suspended.
  }
}

/** The action's result or error matters more, and a lock that stays is taken over. @param {string} lock @param {string} content */
function release(lock, content) {
  try {
    if (readFileSync(lock, 'utf8') === content) unlinkSync(lock);
  } catch {
    // As above.
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
    `${lock} is not a lock of perf-battle, but has the name of that of ${file}. Move it away.`,
  );
}
