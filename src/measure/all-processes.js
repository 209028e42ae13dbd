import {readdirSync, readlinkSync} from 'node:fs';
import {cpuTicksOf, tickMs} from './process-times.js';
import {readSystemFile} from './system-file.js';

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
