import {writeFileSync} from 'node:fs';

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
