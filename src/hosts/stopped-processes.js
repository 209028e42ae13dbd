import {fieldsAfterName, readSystemFile} from '../measure/system-file.js';

const checkEveryMs = 2000;

/**
 * Kills processes of this host that somebody stopped (SIGSTOP), once they were found so twice: they end nothing, and what waits for them would wait for ever. On
 * systems without /proc it does nothing.
 */
export class StoppedProcesses {
  /** @type {Set<number>} */
  #watched = new Set();
  /** @type {Set<number>} */
  #stopped = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {number | undefined} pid of a process that this one waits for */
  watch(pid) {
    if (pid === undefined) return;
    this.#watched.add(pid);
    this.#timer ??= setInterval(() => this.#check(), checkEveryMs).unref();
  }

  /** @param {number | undefined} pid that has ended */
  forget(pid) {
    if (pid === undefined) return;
    this.#watched.delete(pid);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #check() {
    const before = this.#stopped;
    this.#stopped = new Set([...this.#watched].filter(isStopped));
    for (const pid of this.#stopped) if (before.has(pid)) killIfThere(pid);
  }
}

/** @param {number} pid */
function isStopped(pid) {
  return fieldsAfterName(readSystemFile(`/proc/${pid}/stat`) ?? '')[0] === 'T';
}

/** @param {number} pid */
function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended just now.
  }
}
