import {execFile} from 'node:child_process';
import {readlinkSync} from 'node:fs';
import {hostname} from 'node:os';
import {promisify} from 'node:util';
import {readSystemFile} from './system-file.js';

const run = promisify(execFile);

/**
 * A process, distinguished from every other one: also from a later process with the same pid, and from one of another host or container.
 *
 * @typedef {object} ProcessIdentity
 * @property {string} hostname
 * @property {string | null} [namespace] in which the pid is unique, such as that of a container; null where the system has none, missing in journals of
 *   version 0.1.0
 * @property {number} pid
 * @property {string | null} startTime in a unit that depends on the system
 */

/** @returns {Promise<ProcessIdentity>} */
export async function thisProcess() {
  const {pid} = process;
  return {hostname: hostname(), namespace: pidNamespace(), pid, startTime: await startTimeOf(pid)};
}

/**
 * Whether a process still runs.
 * @param {ProcessIdentity} identity
 * @returns {Promise<boolean | null>} null: it cannot be seen from here
 */
export async function isRunning({hostname: host, namespace, pid, startTime}) {
  const own = pidNamespace();
  if (host !== hostname() || (namespace === undefined ? own : namespace) !== own) return null;
  const found = await startTimeOf(pid);
  if (found !== null) return found === startTime;
  return isHidden(pid) ? null : false;
}

/**
 * The start time of a process, in a unit that depends on the system. Together with the pid it identifies a process within its namespace.
 * @param {number} pid
 * @returns {Promise<string | null>} null when there is no such process
 */
export async function startTimeOf(pid) {
  if (process.platform !== 'linux') return await startTimeByPs(pid);
  const stat = readSystemFile(`/proc/${pid}/stat`);
  // The second field, the program's name, may contain any character. The third field follows its closing parenthesis.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null;
  return fields[19];
}

/** The namespace in which the pids of this process are unique: containers may share a folder. */
function pidNamespace() {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/** Whether a process of another user is there, and the system does not show it. @param {number} pid */
function isHidden(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** @param {number} pid */
async function startTimeByPs(pid) {
  const {stdout} = await run('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({stdout: ''}));
  return stdout.trim() || null;
}
