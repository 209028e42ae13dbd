/**
 * The folder of a private broker: who owns it, where its processes have their home, and how it is removed.
 */
import {lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {processesAtHome} from '../hosts/processes.js';
import {isRunning, thisProcess} from '../measure/process-identity.js';

/** @import {ProcessIdentity} from '../measure/process-identity.js' */

const PREFIX = 'perf-battle-broker-';
const OWNER_FILE = 'owner.json';
const UNOWNED_FOR_MS = 60_000;
const KILL_TIMEOUT_MS = 5000;

/**
 * Creates a folder that no other user can read, owned by this process. `mkdtemp` gives it mode 700.
 * @param {string} base the folder for temporary files
 * @returns {Promise<string>}
 * @throws {RunError} when that folder cannot be used
 */
export async function makeFolder(base) {
  const folder = await mkdtemp(join(base, PREFIX)).catch((/** @type {NodeJS.ErrnoException} */ cause) => {
    const reason = cause.code === 'ENOENT' ? 'it does not exist' : cause.message;
    throw new RunError(
      `The folder for temporary files, ${base}, cannot be used: ${reason}. Set TMPDIR to another one.`,
      {cause},
    );
  });
  await writeFile(join(folder, OWNER_FILE), JSON.stringify(await thisProcess()));
  await mkdir(homeOf(folder), {mode: 0o700});
  return folder;
}

/**
 * The home folder of all processes of a broker. Its processes are found by it.
 * @param {string} folder
 */
export function homeOf(folder) {
  return join(folder, 'home');
}

/**
 * Where the folder of a private broker can be. RabbitMQ's programs do not quote the paths that they pass on.
 * @param {string} base the folder for temporary files
 */
export function usableBase(base) {
  return /['"`*?\p{Cc}]/u.test(base) ? '/tmp' : base;
}

/**
 * Kills the processes that still run in a broker's folder, and removes the folder.
 * @param {string} folder
 */
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
 * Removes the folders of earlier brokers whose supervisor was killed. It does not touch a folder of another user, of
 * another container that shares the file system, or of a supervisor that still runs.
 * @param {string} base
 */
export async function sweepFolders(base) {
  const names = (await readdir(base).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  const folders = names.map((name) => join(base, name));
  await Promise.all(
    folders.map(async (folder) => {
      if (await isAbandoned(folder)) await removeFolder(folder).catch(() => {});
    }),
  );
}

/** @param {string} folder */
async function isAbandoned(folder) {
  const stat = await lstat(folder).catch(() => null);
  if (!stat?.isDirectory() || stat.uid !== process.getuid?.()) return false;
  const owner = await readOwner(folder);
  // Its supervisor was killed before it wrote the owner file, or is about to write it.
  if (owner === null) return Date.now() - stat.mtimeMs > UNOWNED_FOR_MS;
  return (await isRunning(owner)) === false;
}

/**
 * @param {string} folder
 * @returns {Promise<ProcessIdentity | null>}
 */
async function readOwner(folder) {
  try {
    return JSON.parse(await readFile(join(folder, OWNER_FILE), 'utf8'));
  } catch {
    return null;
  }
}

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
