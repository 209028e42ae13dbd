import {open} from 'node:fs/promises';
import {dirname, join, parse} from 'node:path';
import {RunError} from '../errors.js';
import {withFileLock} from '../files/file-lock.js';
import {readGivenFile} from '../files/given-file.js';
import {checkTarget, explainFileError, ignoreMissing} from '../files/writable-file.js';
import {parseSafely} from '../safe-text.js';

/**
 * @import {FileHandle} from 'node:fs/promises'
 * @import {ZodError} from 'zod'
 * @import {Entry} from './types.js'
 */

const newline = 0x0a;

/** A process recognizes its journal by at most this many of the bytes that it appended last. */
const maxTailBytes = 256;

/** The journal is read as one string, and Node.js limits a string to half a gigabyte. */
const maxJournalBytes = 256 * 1024 ** 2;

/** Returns the path of the journal next to a results file: results.ndjson for results.md. @param {string} resultsPath */
export function journalPathFor(resultsPath) {
  return pathBeside(resultsPath, '.ndjson');
}

/**
 * Returns the path of a file next to a results file. Only the extension .md is replaced. Other names keep the part after their last dot,
 * because it may tell results apart, as in h-1.1 and h-1.2.
 * @param {string} resultsPath @param {string} ending
 */
export function pathBeside(resultsPath, ending) {
  const {base, ext, name} = parse(resultsPath);
  return join(dirname(resultsPath), `${ext === '.md' ? name : base}${ending}`);
}

/**
 * The append-only journal, with one JSON document per line. Every table is made from it. A line is on disk when `append` has resolved.
 * @template {{kind: string}} [One=Entry] type of an appended line
 */
export class Journal {
  /** The bytes that this process appended last, and their end in the file. @type {{tail: Buffer, end: number} | null} */
  #last = null;
  /** The appended lines on whole battles, without which the lines on trials have no meaning. @type {string[]} */
  #heads = [];

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** Called with a sentence when the file was removed or replaced after this process wrote to it. @type {(warning: string) => void} */
    this.warn = () => {};
  }

  /** @throws {RunError} when the file cannot be written */
  async assertWritable() {
    await checkTarget(this.path).catch((error) => {
      throw explainFileError(this.path, error);
    });
  }

  /**
   * Appends lines completely or not at all. First it repairs a torn last line, which a killed process or a full disk may have left.
   * @param {...One} entries @throws {RunError} when the disk is full or the file cannot be written
   */
  async append(...entries) {
    await this.exclusively((journal) => journal.append(...entries));
  }

  /**
   * Reads and appends while the lock excludes other processes.
   * @param {(journal: HeldJournal<One>) => Promise<void>} action should be short, because other processes wait for it
   * @throws {RunError} like `append`
   */
  async exclusively(action) {
    try {
      const target = await checkTarget(this.path);
      await withFileLock(target, {waitMs: 60_000}, () =>
        action({
          read: () => this.read(),
          append: (...entries) => this.#appendTo(target, entries),
        }),
      );
    } catch (error) {
      throw explainFileError(this.path, error);
    }
  }

  /** @param {string} target @param {readonly One[]} entries */
  async #appendTo(target, entries) {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    const isLost = !(await this.#isStillThere(target));
    const missing = isLost ? this.#missingHeads() : [];
    this.#last = await appendDurably(target, [...missing, ...lines].join(''));
    if (isLost)
      this.warn(
        `${this.path} was removed or replaced since this battle wrote into it. The earlier lines are lost: --resume would repeat the trials up to now. The records at the end will be whole.`,
      );
    this.#heads.push(...lines.filter((_, index) => !/^(trial|cell)$/.test(entries[index].kind)));
  }

  /** Returns whether a file still has the bytes that this process appended last. @param {string} target */
  async #isStillThere(target) {
    if (this.#last === null) return true;
    const {tail, end} = this.#last;
    const there = Buffer.alloc(tail.length);
    const file = await open(target, 'r').catch(ignoreMissing);
    await file?.read(there, 0, tail.length, end - tail.length).finally(() => file.close());
    return there.equals(tail);
  }

  /** @returns {string[]} the head lines that the file lacks */
  #missingHeads() {
    const content = readOrEmpty(this.path);
    return this.#heads.filter((line) => !content.includes(line));
  }

  /**
   * @returns {Promise<{entries: Entry[], warnings: string[]}>} all readable lines, in order, and a warning for each unreadable line except a
   *   torn last one. A missing file has no lines.
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

/**
 * A journal whose lock this process holds.
 * @template {{kind: string}} [One=Entry]
 * @typedef {{read: Journal<One>['read'], append: (...entries: One[]) => Promise<void>}} HeldJournal
 */

/** @param {string} path @param {string} text @returns {Promise<{tail: Buffer, end: number}>} the end of the text, and its offset */
async function appendDurably(path, text) {
  const file = await open(path, 'a+');
  try {
    const {size} = await file.stat();
    const end = await mendTornLine(file, size);
    try {
      await file.appendFile(text);
      await file.datasync();
      const bytes = Buffer.from(text);
      return {tail: bytes.subarray(-maxTailBytes), end: end + bytes.length};
    } catch (error) {
      await file.truncate(end).catch(() => {});
      throw error;
    }
  } finally {
    await file.close();
  }
}

/**
 * Repairs a last line without a line break: a complete line gets a line break, an incomplete line is removed.
 * @param {FileHandle} file @param {number} size @returns {Promise<number>} the new size
 */
async function mendTornLine(file, size) {
  if (size === 0) return 0;
  const last = Buffer.alloc(1);
  await file.read(last, 0, 1, size - 1);
  if (last[0] === newline) return size;
  const content = Buffer.alloc(size);
  await file.read(content, 0, size, 0);
  const lineStart = content.lastIndexOf(newline) + 1;
  if (parseLine(content.toString('utf8', lineStart))) {
    await file.appendFile('\n');
    return size + 1;
  }
  await file.truncate(lineStart);
  return lineStart;
}

/** @param {string} text @param {string} path */
function parseLines(text, path) {
  /** @type {Entry[]} */
  const entries = [];
  /** @type {string[]} */
  const warnings = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const entry = parseLine(line);
    if (entry) entries.push(entry);
    else if (line.trim() !== '' && index < lines.length - 1)
      warnings.push(`Line ${index + 1} of ${path} is not a record and is skipped.`);
  }
  return {entries, warnings: capWarnings(warnings)};
}

/** @param {string} line @returns {Entry | null} */
function parseLine(line) {
  try {
    // A file from an editor, or one that was appended to another file, may begin with a byte order mark.
    const entry = parseSafely(line.replace(/^\uFEFF/, ''));
    return typeof entry === 'object' && entry !== null && typeof entry.kind === 'string' ? entry : null;
  } catch {
    return null;
  }
}

const maxWarnings = 10;

/**
 * Returns the first warnings and the number of the others, because a journal with an error in every line would fill the screen.
 * @param {readonly string[]} warnings
 */
export function capWarnings(warnings) {
  if (warnings.length <= maxWarnings) return [...warnings];
  const more = warnings.length - maxWarnings + 1;
  return [...warnings.slice(0, maxWarnings - 1), `${more} more lines of the journal are skipped.`];
}

/**
 * Returns the first error of a line for a warning, because a line without any of its fields would fill the screen.
 * @param {Pick<ZodError, 'issues'>} error @returns {string} such as: owner: Invalid input: expected object, received null (and 2 more)
 */
export function firstMistake({issues: [{path, message}, ...others]}) {
  const where = path.length > 0 ? `${path.join('.')}: ` : '';
  return `${where}${message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
