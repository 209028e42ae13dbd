import {execFile} from 'node:child_process';
import {readdirSync, readFileSync, readlinkSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {promisify} from 'node:util';

/** @import {ProcessIdentity, ProcessTimes} from './types.js' */

/**
 * Reads a file in which the system describes itself, such as those of /proc.
 * @param {string} path
 * @returns {string | null} null where the system does not offer it
 */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * The fields of a `stat` file of a process or thread after its name, which may contain any character (proc_pid_stat(5)). The first is its state.
 * @param {string} stat
 */
export function fieldsAfterName(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Resets the peak of a process's resident memory: proc_pid_clear_refs(5).
 * @param {number | 'self'} pid
 * @returns {boolean} whether the system did; only Linux does, for processes of the same user
 */
export function resetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

/**
 * The peak of another process's resident memory since it was reset: VmHWM, proc_pid_status(5).
 * @param {number} pid
 * @returns {number | null} in bytes; null when it is not available
 */
export function readPeak(pid) {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readSystemFile(`/proc/${pid}/status`) ?? '') ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** A tick of /proc/<pid>/stat: USER_HZ is 100 on every Linux that Node.js runs on (proc(5)). */
export const tickMs = 10;

/** The processes whose peak of memory was reset at the last reading. @type {Set<string>} */
const reset = new Set();

/**
 * Reads the CPU time of another process, such as a broker, from /proc. For this process, `process.resourceUsage()` is more precise.
 * @param {number | null} pid
 * @returns {ProcessTimes | null} null when it is not available
 */
export function readProcessTimes(pid) {
  const stat = pid === null ? null : readSystemFile(`/proc/${pid}/stat`);
  if (pid === null || stat === null) return null;
  const {user, system, startedAt} = cpuTicksOf(stat);
  const instance = `${pid}@${startedAt}`;
  return {
    userMs: user * tickMs,
    systemMs: system * tickMs,
    maxRssBytes: takePeak(pid, instance),
    instance,
  };
}

/**
 * The CPU times in a `/proc/<pid>/stat` (proc_pid_stat(5)), in ticks, its parent and the process group.
 * @param {string} stat
 */
export function cpuTicksOf(stat) {
  const fields = fieldsAfterName(stat);
  const [user, system, userOfChildren, systemOfChildren] = fields.slice(11, 15).map(Number);
  const [parent, group] = fields.slice(1, 3).map(Number);
  return {user, system, userOfChildren, systemOfChildren, parent, group, startedAt: fields[19]};
}

/** @param {number} pid @param {string} instance */
function takePeak(pid, instance) {
  const peakBytes = readPeak(pid);
  const isKnown = reset.has(instance);
  if (resetPeak(pid)) reset.add(instance);
  else reset.delete(instance);
  return isKnown ? peakBytes : null;
}

/**
 * @param {readonly (ProcessTimes | null)[]} times of several processes
 * @returns {ProcessTimes | null} of all of them together; null when the times of one are not available, or there are none
 */
export function sumTimes(times) {
  if (times.length === 0) return null;
  return times.reduce(
    (sum, one) =>
      sum &&
      one && {
        userMs: sum.userMs + one.userMs,
        systemMs: sum.systemMs + one.systemMs,
        maxRssBytes:
          sum.maxRssBytes === null || one.maxRssBytes === null ? null : sum.maxRssBytes + one.maxRssBytes,
        instance: `${sum.instance} ${one.instance}`,
      },
  );
}

/** The inode of the first PID namespace, in which all processes of a host have a number: PROC_PID_INIT_INO of the kernel. */
const firstNamespace = 'pid:[4026531836]';

/**
 * The CPU time of all processes of this host, and of the children that they have waited for. So what a process used is not lost when it ends.
 * The kernel counts it exactly, and rounds it down to ticks for each process. It takes some 15 µs for each process.
 * @param {number | null} leftOut the number of a process that does not count
 * @returns {number | null} in ms; null in a container, which does not see all processes, and where there is no /proc
 */
export function readAllProcessesMs(leftOut) {
  if (!seesAllProcesses()) return null;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== leftOut);
  let ticks = 0;
  for (const process of processes) {
    const stat = readSystemFile(`/proc/${process}/stat`);
    if (stat === null) continue;
    const {user, system, userOfChildren, systemOfChildren} = cpuTicksOf(stat);
    ticks += user + system + userOfChildren + systemOfChildren;
  }
  return ticks * tickMs;
}

/** With hidepid=2, a user sees only own processes, and not that of number 1 (proc(5)). */
function seesAllProcesses() {
  try {
    return readlinkSync('/proc/self/ns/pid') === firstNamespace && readSystemFile('/proc/1/stat') !== null;
  } catch {
    return false;
  }
}

const run = promisify(execFile);

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
  return process.platform === 'linux' ? startedAt(pid) : await startTimeByPs(pid);
}

/** On Linux. @param {number | string} pid @returns {string | null} null: there is no such process, or it has ended */
export function startedAt(pid) {
  const stat = readSystemFile(`/proc/${pid}/stat`);
  return stat === null || /^[ZX]/.test(fieldsAfterName(stat)[0]) ? null : cpuTicksOf(stat).startedAt;
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

/**
 * Sends a signal to a process, or to a group, whose number is negative.
 * @param {number} pid @param {NodeJS.Signals} signal
 * @returns {boolean} false: it has ended, or became another user's
 */
export function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
