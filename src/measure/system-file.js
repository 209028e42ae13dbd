import {readFileSync, writeFileSync} from 'node:fs';

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
