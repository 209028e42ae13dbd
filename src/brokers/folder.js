import {mkdir, mkdtemp, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {own, sweepOwnedFolders} from '../files/folders.js';
import {processesAtHome} from '../hosts/processes.js';

const PREFIX = 'perf-battle-broker-';
const KILL_TIMEOUT_MS = 5000;

/**
 * Creates a folder that this process owns and no other user can read (mkdtemp: mode 700).
 * @param {string} base the folder for temporary files
 * @throws {RunError} when `base` cannot be used
 */
export async function makeFolder(base) {
  const folder = await mkdtemp(join(base, PREFIX)).catch((/** @type {NodeJS.ErrnoException} */ cause) => {
    const reason = cause.code === 'ENOENT' ? 'it does not exist' : cause.message;
    throw new RunError(
      `The folder for temporary files, ${base}, cannot be used: ${reason}. Set TMPDIR to another one.`,
      {cause},
    );
  });
  await own(folder);
  await mkdir(homeOf(folder), {mode: 0o700});
  return folder;
}

/** The home folder of a broker's processes, which also identifies them. @param {string} folder */
export function homeOf(folder) {
  return join(folder, 'home');
}

/**
 * Returns `base`, or /tmp if its path needs quotes: RabbitMQ's programs do not quote the paths that they pass on.
 * @param {string} base the folder for temporary files
 */
export function usableBase(base) {
  return /['"`*?\p{Cc}]/u.test(base) ? '/tmp' : base;
}

/** Kills the processes that still run in a broker's folder, and removes the folder. @param {string} folder */
export async function removeFolder(folder) {
  const deadline = Date.now() + KILL_TIMEOUT_MS;
  let left = await processesAtHome(homeOf(folder));
  while (left.length > 0 && Date.now() < deadline) {
    for (const pid of left) kill(pid);
    await sleep(20);
    left = await processesAtHome(homeOf(folder));
  }
  await rm(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
}

/**
 * Removes the folders of earlier brokers whose supervisor was killed. Folders of other users, of other containers that
 * share the file system, and of running supervisors stay.
 * @param {string} base
 */
export async function sweepFolders(base) {
  await sweepOwnedFolders(base, PREFIX, removeFolder);
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended by itself.
  }
}
