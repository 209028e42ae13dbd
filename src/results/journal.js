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

/** By this much of what was appended last, a journal is known again. */
const maxTailBytes = 256;

/** The journal is read as one string, and Node.js limits a string to half a gigabyte. */
const maxJournalBytes = 256 * 1024 ** 2;

/** The path of the journal beside a results file: results.ndjson for results.md. @param {string} resultsPath */
export function journalPathFor(resultsPath) {
  return pathBeside(resultsPath, '.ndjson');
}

/**
 * The path of a file beside a results file. Only the ending of markdown is replaced: what follows a dot of another name, as in h-1.1 and h-1.2,
 * tells results apart.
 * @param {string} resultsPath @param {string} ending
 */
export function pathBeside(resultsPath, ending) {
  const {base, ext, name} = parse(resultsPath);
  return join(dirname(resultsPath), `${ext === '.md' ? name : base}${ending}`);
}

/**
 * The append-only journal, with one JSON document per line. Every table is made from it. A line is on disk when `append` has
 * resolved.
 * @template {{kind: string}} [One=Entry] a line that it takes
 */
export class Journal {
  /** What this process appended last, and where it ends. @type {{tail: Buffer, end: number} | null} */
  #last = null;
  /** What it appended of battles as a whole: without it, nobody understands their trials. @type {string[]} */
  #heads = [];

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    /** Gets a sentence when the file was removed or replaced since this process wrote into it. @type {(warning: string) => void} */
    this.warn = () => {};
  }

  /** @returns {Promise<void>} @throws {RunError} when it could not be written to */
  async assertWritable() {
    await checkTarget(this.path).catch((error) => {
      throw explainFileError(this.path, error);
    });
  }

  /**
   * Appends lines completely or not at all. First it repairs a torn last line, which a killed process or a full disk may have
   * left.
   * @param {...One} entries @throws {RunError} when the disk is full or the file cannot be written
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
        `${this.path} was removed or replaced since this battle wrote into it. What it held is not in it any more: --resume would repeat the trials up to now. The records at the end will be whole.`,
      );
    this.#heads.push(...lines.filter((_, index) => !/^(trial|cell)$/.test(entries[index].kind)));
  }

  /** Whether a file still has what this process appended last. @param {string} target */
  async #isStillThere(target) {
    if (this.#last === null) return true;
    const {tail, end} = this.#last;
    const there = Buffer.alloc(tail.length);
    const file = await open(target, 'r').catch(ignoreMissing);
    await file?.read(there, 0, tail.length, end - tail.length).finally(() => file.close());
    return there.equals(tail);
  }

  /** @returns {string[]} what the file lacks */
  #missingHeads() {
    const content = readOrEmpty(this.path);
    return this.#heads.filter((line) => !content.includes(line));
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

/**
 * A journal while its lock is held.
 * @template {{kind: string}} [One=Entry]
 * @typedef {{read: Journal<One>['read'], append: (...entries: One[]) => Promise<void>}} HeldJournal
 */

/** @param {string} path @param {string} text @returns {Promise<{tail: Buffer, end: number}>} its end, and where it is */
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
 * Repairs a last line without a line break: a complete one gets a line break, an incomplete one is removed.
 * @param {FileHandle} file @param {number} size @returns {Promise<number>} the size afterwards
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
    // A file that an editor wrote, or that was appended to another one, may begin with a byte order mark.
    const entry = parseSafely(line.replace(/^\uFEFF/, ''));
    return typeof entry === 'object' && entry !== null && typeof entry.kind === 'string' ? entry : null;
  } catch {
    return null;
  }
}

const maxWarnings = 10;

/**
 * The first warnings, and how many more there are: a journal in which every line is wrong would fill the screen.
 * @param {readonly string[]} warnings @returns {string[]}
 */
export function capWarnings(warnings) {
  if (warnings.length <= maxWarnings) return [...warnings];
  const more = warnings.length - maxWarnings + 1;
  return [...warnings.slice(0, maxWarnings - 1), `${more} more lines of the journal are skipped.`];
}

/**
 * The first thing that is wrong with a line, for a warning. A line without any of its fields would otherwise fill the screen.
 * @param {Pick<ZodError, 'issues'>} error
 * @returns {string} such as: owner: Invalid input: expected object, received null (and 2 more)
 */
export function firstMistake({issues: [{path, message}, ...others]}) {
  const where = path.length > 0 ? `${path.join('.')}: ` : '';
  return `${where}${message}${others.length > 0 ? ` (and ${others.length} more)` : ''}`;
}
