import {readFileSync} from 'node:fs';
import {UsageError} from '../errors.js';

/** Node.js opens many files of a program at the same time. A battle of one client and one server needs no more than this. */
const minOpenFiles = 256;

/** @returns {number | null} the limit of open files of this process and of its child processes; null without /proc */
export function readOpenFilesLimit() {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return line ? Number(line[1]) : null;
  } catch {
    return null;
  }
}

/** @param {number | null} [limit] null: not known @throws {UsageError} names the limit and the required number */
export function refuseFewOpenFiles(limit = readOpenFilesLimit()) {
  if (limit !== null && limit < minOpenFiles)
    throw new UsageError(
      `A process may have ${limit} files open here, and perf-battle needs at least ${minOpenFiles}. Raise the limit: ulimit -n ${minOpenFiles}.`,
    );
}
