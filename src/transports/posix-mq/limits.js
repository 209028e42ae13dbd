import {readFileSync} from 'node:fs';
import {RunError} from '../../errors.js';

/** The kernel counts two structures of 48 bytes each for a message, in addition to its bytes. */
const perMessageBytes = 96;

/** Reads the limits of an unprivileged process. @throws {RunError} PB_NO_LIBC */
export function readLimits() {
  const read = (/** @type {string} */ name) => {
    try {
      return Number(readFileSync(`/proc/sys/fs/mqueue/${name}`, 'latin1'));
    } catch (cause) {
      throw new RunError('This kernel has no POSIX message queues: /proc/sys/fs/mqueue is missing.', {
        code: 'PB_NO_LIBC',
        cause,
      });
    }
  };
  return {messages: read('msg_max'), messageBytes: read('msgsize_max')};
}

/**
 * @param {number} processes each of which has a queue
 * @param {() => {messages: number, messageBytes: number}} [limits]
 * @param {() => string} [readOwn] the limits of this process, which its children inherit
 * @returns {string | null} why a user cannot have this number of queues; null: the user can, or the limit is unknown
 */
export function refuseProcesses(
  processes,
  limits = readLimits,
  readOwn = () => readFileSync('/proc/self/limits', 'latin1'),
) {
  try {
    const {messages, messageBytes} = limits();
    const bytes = processes * messages * (messageBytes + perMessageBytes);
    const [, allowed] = /^Max msgqueue size +(\d+)/m.exec(readOwn()) ?? [];
    return allowed === undefined || bytes <= Number(allowed)
      ? null
      : `${processes} clients and servers have a POSIX queue each, of ${bytes} bytes together; this user may have ${allowed}. Raise it (ulimit -q), or use fewer.`;
  } catch {
    return null;
  }
}
