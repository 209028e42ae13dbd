import {open} from 'node:fs/promises';
import {dirname, join, parse} from 'node:path';
import {RunError} from '../errors.js';
import {withFileLock} from '../files/file-lock.js';
import {readGivenFile} from '../files/given-file.js';
import {checkTarget, explainFileError} from '../files/writable-file.js';
import {parseSafely} from '../safe-text.js';
import {capWarnings} from './cap-warnings.js';

/** @import {FileHandle} from 'node:fs/promises' */

const newline = 0x0a;

/** The journal is read as one string, and Node.js limits a string to half a gigabyte. */
const maxJournalBytes = 256 * 1024 ** 2;

/**
 * The path of the journal beside a results file: results.ndjson for results.md.
 * @param {string} resultsPath
 */
export function journalPathFor(resultsPath) {
  return join(dirname(resultsPath), `${parse(resultsPath).name}.ndjson`);
}

/**
 * The append-only journal, with one JSON document per line. Every table is made from it. A line is on disk when `append` has
 * resolved.
 *
 * @template {{kind: string}} [One=Entry] a line that it takes
 */
export class Journal {
  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  /**
   * @returns {Promise<void>}
   * @throws {RunError} when it could not be written to
   */
  async assertWritable() {
    await checkTarget(this.path).catch((error) => {
      throw explainFileError(this.path, error);
    });
  }

  /**
   * Appends lines completely or not at all. First it repairs a torn last line, which a killed process or a full disk may have
   * left.
   * @param {...One} entries
   * @throws {RunError} when the disk is full or the file cannot be written
   */
  async append(...entries) {
    await this.exclusively((journal) => journal.append(...entries));
  }

  /**
   * Reads and appends while no other process does.
   * @param {(journal: HeldJournal<One>) => Promise<void>} action should be short, because others wait for it
   * @throws {RunError} like `append`
   */
  async exclusively(action) {
    try {
      const target = await checkTarget(this.path);
      await withFileLock(target, {waitMs: 60_000}, () =>
        action({
          read: () => this.read(),
          append: (...entries) =>
            appendDurably(target, entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
        }),
      );
    } catch (error) {
      throw explainFileError(this.path, error);
    }
  }

  /**
   * @returns {Promise<{entries: Entry[], warnings: string[]}>} all readable lines, in order, and a warning for each other
   *   line, except a torn last one. A missing file has none.
   */
  async read() {
    return parseLines(readOrEmpty(this.path), this.path);
  }
}

/** @param {string} path */
function readOrEmpty(path) {
  try {
    return readGivenFile(path, {maxBytes: maxJournalBytes}).toString('utf8');
  } catch (error) {
    const {cause, message} = /** @type {Error} */ (error);
    if (/** @type {NodeJS.ErrnoException | undefined} */ (cause)?.code === 'ENOENT') return '';
    throw new RunError(`The journal cannot be used: ${message} Name another file with --results.`, {
      cause: error,
    });
  }
}

/** @typedef {{kind: string, [field: string]: any}} Entry */

/**
 * A journal while its lock is held.
 * @template {{kind: string}} [One=Entry]
 * @typedef {{read: Journal<One>['read'], append: (...entries: One[]) => Promise<void>}} HeldJournal
 */

/** @param {string} path @param {string} text */
async function appendDurably(path, text) {
  const file = await open(path, 'a+');
  try {
    const {size} = await file.stat();
    const end = await mendTornLine(file, size);
    try {
      await file.appendFile(text);
      await file.datasync();
    } catch (error) {
      await file.truncate(end).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Repairs a last line without a line break: a complete one gets a line break, an incomplete one is removed.
 * @param {FileHandle} file
 * @param {number} size
 * @returns {Promise<number>} the size afterwards
 */
async function mendTornLine(file, size) {
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] === newline) return size;
  const content = await readFromStart(file, size);
  const lineStart = content.lastIndexOf(newline) + 1;
  if (parseLine(content.subarray(lineStart).toString('utf8'))) {
    await file.appendFile('\n');
    return size + 1;
  }
  await file.truncate(lineStart);
  return lineStart;
}

/** @param {FileHandle} file @param {number} size */
async function readFromStart(file, size) {
  const content = Buffer.alloc(size);
  await file.read(content, 0, size, 0);
  return content;
}

/** @param {string} text @param {string} path */
function parseLines(text, path) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {string[]} */
  const warnings = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    const entry = parseLine(line);
    if (entry) entries.push(entry);
    else if (line.trim() !== '' && index < lines.length - 1) {
      warnings.push(`Line ${index + 1} of ${path} is not a record and is skipped.`);
    }
  });
  return {entries, warnings: capWarnings(warnings)};
}

/** @param {string} line @returns {Entry | null} */
function parseLine(line) {
  try {
    const entry = parseSafely(line);
    return typeof entry === 'object' && entry !== null && typeof entry.kind === 'string' ? entry : null;
  } catch {
    return null;
  }
}
