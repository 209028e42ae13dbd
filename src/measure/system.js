import {execFile} from 'node:child_process';
import {readdirSync, readFileSync, readlinkSync, writeFileSync} from 'node:fs';
import {hostname} from 'node:os';
import {promisify} from 'node:util';

/** @import {ProcessIdentity, ProcessTimes} from './types.js' */

/**
 * Reads a file of the system, such as a file in /proc.
 * @param {string} path
 * @returns {string | null} null if the system does not have the file
 */
export function readSystemFile(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Splits the fields of a `stat` file of a process or thread after its name, which may contain any character (proc_pid_stat(5)). The first field is
 * the state.
 * @param {string} stat
 */
export function fieldsAfterName(stat) {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Resets the peak of a process's resident memory: proc_pid_clear_refs(5).
 * @param {number | 'self'} pid
 * @returns {boolean} whether the peak was reset, which is possible on Linux only, for processes of the same user
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
 * Reads the peak of another process's resident memory since the peak was reset: VmHWM, proc_pid_status(5).
 * @param {number} pid
 * @returns {number | null} bytes; null if unavailable
 */
export function readPeak(pid) {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readSystemFile(`/proc/${pid}/status`) ?? '') ?? [];
  return kibibytes === undefined ? null : Number(kibibytes) * 1024;
}

/** The tick of /proc/<pid>/stat. USER_HZ is 100 on every Linux that Node.js runs on (proc(5)). */
export const tickMs = 10;

/** The instances of processes whose peak of memory was reset at the last reading. @type {Set<string>} */
const reset = new Set();

/**
 * Reads the CPU time of another process, such as a broker, from /proc. For this process, `process.resourceUsage()` is more precise.
 * @param {number | null} pid
 * @returns {ProcessTimes | null} null if unavailable
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
 * Parses the CPU times in ticks, the parent and the process group from `/proc/<pid>/stat` (proc_pid_stat(5)).
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

/** @param {readonly (ProcessTimes | null)[]} times @returns {ProcessTimes | null} null if the times of a process are unavailable, or the list is empty */
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

/** The inode of the first PID namespace, in which all processes of a host have a pid: PROC_PID_INIT_INO of the kernel. */
const firstNamespace = 'pid:[4026531836]';

/**
 * Reads the CPU time of all processes of this host, and of the children that they have waited for. The time of an ended process is therefore not lost.
 * The kernel counts the time exactly, and rounds it down to ticks for each process. Reading takes about 15 µs per process.
 * @param {number | null} leftOut the pid of a process that does not count
 * @returns {number | null} ms; null in a container, which does not see all processes, and on systems without /proc
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

/** With hidepid=2, a user sees own processes only, and not the process with pid 1 (proc(5)). */
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

/** @param {ProcessIdentity} identity @returns {Promise<boolean | null>} null if this process cannot see the other one */
export async function isRunning({hostname: host, namespace, pid, startTime}) {
  const own = pidNamespace();
  if (host !== hostname() || (namespace === undefined ? own : namespace) !== own) return null;
  const found = await startTimeOf(pid);
  if (found !== null) return found === startTime;
  return isHidden(pid) ? null : false;
}

/**
 * Returns the start time of a process, in a unit that depends on the system. Pid and start time identify a process within its namespace.
 * @param {number} pid
 * @returns {Promise<string | null>} null if there is no such process
 */
export async function startTimeOf(pid) {
  return process.platform === 'linux' ? startedAt(pid) : await startTimeByPs(pid);
}

/** Returns the start time on Linux. @param {number | string} pid @returns {string | null} null if there is no such process, or if it has ended */
export function startedAt(pid) {
  const stat = readSystemFile(`/proc/${pid}/stat`);
  return stat === null || /^[ZX]/.test(fieldsAfterName(stat)[0]) ? null : cpuTicksOf(stat).startedAt;
}

/** Returns the namespace in which pids are unique, because containers may share a folder. */
function pidNamespace() {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/** Returns whether a process of another user exists that the system does not show. @param {number} pid */
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
 * @param {number} pid of a process; negative for a process group
 * @param {NodeJS.Signals} signal
 * @returns {boolean} false if the process has ended, or now belongs to another user
 */
export function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
