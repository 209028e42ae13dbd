import {readFileSync} from 'node:fs';
import {UsageError} from '../errors.js';

/** Node.js opens the files of a program many at a time: with fewer, some cannot be loaded. A battle of one client and one server needs no more. */
const minOpenFiles = 256;

/** @returns {number | null} how many files this process, and those that it starts, may have open; null without /proc */
export function readOpenFilesLimit() {
  try {
    const line = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return line ? Number(line[1]) : null;
  } catch {
    return null;
  }
}

/**
 * @param {number | null} [limit] null: not known
 * @throws {UsageError} naming the limit, and what is needed
 */
export function refuseFewOpenFiles(limit = readOpenFilesLimit()) {
  if (limit !== null && limit < minOpenFiles)
    throw new UsageError(
      `A process may have ${limit} files open here, and perf-battle needs at least ${minOpenFiles}. Raise the limit: ulimit -n ${minOpenFiles}.`,
    );
}
