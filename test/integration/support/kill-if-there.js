/** Between being found and being killed a process may end. @param {number} pid */
export function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
