import {readFileSync} from 'node:fs';

/** A tick of /proc/<pid>/stat: USER_HZ is 100 on every Linux that Node.js runs on (proc(5)). */
const tickMs = 10;

/**
 * Reads the CPU time of another process, such as a broker, from /proc. For this process, `process.resourceUsage()` is more precise.
 *
 * @param {number | null} pid
 * @returns {{userMs: number, systemMs: number, maxRssBytes: number} | null} null when it is not available
 */
export function readProcessTimes(pid) {
  if (pid === null) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(status);
    return {
      userMs: Number(fields[11]) * tickMs,
      systemMs: Number(fields[12]) * tickMs,
      maxRssBytes: peak ? Number(peak[1]) * 1024 : 0,
    };
  } catch {
    return null;
  }
}
