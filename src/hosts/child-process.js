import {setTimeout as sleep} from 'node:timers/promises';
import {fieldsAfterName, readSystemFile, sendSignal} from '../measure/system.js';

/** @import {Readable} from 'node:stream' */

/** The maximum length of a line, which allows a result with about four million samples. */
export const maxLineCharacters = 32 * 1024 ** 2;

/**
 * Reads the lines of a process. The last line may lack a line feed. The length of a line is limited, because an endless line would fill the memory.
 * @param {Readable} stream the standard output of the process
 * @param {(line: string) => void} onLine
 * @param {(reason: string) => void} onTooLong is called once, with a clause; later output is discarded
 */
export function readLines(stream, onLine, onTooLong) {
  /** The parts of the incomplete line. @type {string[]} */
  let parts = [];
  let length = 0;
  stream.setEncoding('utf8');
  const take = (/** @type {string} */ text) => {
    const [first, ...others] = text.split('\n');
    length += first.length;
    if (length > maxLineCharacters) return giveUp();
    parts.push(first);
    for (const next of others) {
      onLine(parts.join(''));
      [parts, length] = [[next], next.length];
    }
  };
  const giveUp = () => {
    parts = [];
    // The stream is still drained, because the process must not block before it ends.
    stream.off('data', take).off('end', end).resume();
    onTooLong(`wrote a line of more than ${maxLineCharacters / 1024 ** 2} MiB`);
  };
  const end = () => void (length > 0 && onLine(parts.join('')));
  stream.on('data', take).on('end', end);
}

/**
 * Ends a process in steps, such as a request, SIGTERM and SIGKILL. The next step follows if the process has not exited within `graceMs`.
 * @param {Promise<unknown>} exited settles when the process has exited
 * @param {readonly (() => void)[]} steps the last step must end the process
 * @param {number} graceMs
 * @throws the error that `exited` rejects with
 */
export async function endInSteps(exited, steps, graceMs) {
  for (const step of steps.slice(0, -1)) {
    step();
    if (await settlesWithin(exited, graceMs)) return;
  }
  steps.at(-1)?.();
  await exited;
}

/** @param {Promise<unknown>} promise @param {number} ms */
async function settlesWithin(promise, ms) {
  const over = new AbortController();
  const late = sleep(ms, false, {signal: over.signal}).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    over.abort();
  }
}

const checkEveryMs = 2000;

/**
 * Kills processes of this host that were found stopped (SIGSTOP) twice. A stopped process never exits, so its parent would wait forever. The class does
 * nothing on systems without /proc.
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
    for (const pid of this.#stopped) if (before.has(pid)) sendSignal(pid, 'SIGKILL');
  }
}

/** @param {number} pid */
function isStopped(pid) {
  return fieldsAfterName(readSystemFile(`/proc/${pid}/stat`) ?? '')[0] === 'T';
}
