/** Kills a process that may have ended already. @param {number} pid */
export function killIfRunning(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
