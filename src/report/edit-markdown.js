import {once} from 'node:events';
import {Worker} from 'node:worker_threads';
import {RunError, UsageError} from '../errors.js';
import {maskPassword} from '../files/mask-password.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {maxWholeLength, reduceMarkdown} from './reduce-markdown.js';

/** @import {Edits, Task} from './markdown-edits.js' */

/**
 * @typedef {object} Answer of the thread: the first that is there
 * @property {boolean} [ready]
 * @property {any} [done]
 * @property {string} [refused]
 */

const worker = new URL('./markdown-worker.js', import.meta.url);

/** An edit reads the text several times. */
const maxEditMs = 6000;
const maxCheckMs = 1500;

/**
 * Edits a markdown text. The parser takes minutes for some texts of a few kB, and nothing ends it meanwhile. So one that may take long is edited in another
 * thread, with a bound.
 *
 * @template {keyof Edits} Name
 * @param {Name} name
 * @param {Parameters<Edits[Name]>[0]} given
 * @param {{path: string, markdown: string, signal?: AbortSignal | undefined, maxMs?: number}} text path: for messages
 * @returns {Promise<ReturnType<Edits[Name]>>}
 * @throws {UsageError} the edit's own
 * @throws {RunError} when it takes too long
 * @throws the signal's reason
 */
export async function editMarkdown(name, given, {path, markdown, signal, maxMs = maxEditMs}) {
  const {isHigh, line} = costOfMarkdown(markdown);
  if (isHigh) return await editInThread({name, given, markdown}, {path, line, maxMs, signal: signal ?? null});
  const {edits} = await import('./markdown-edits.js');
  return /** @type {any} */ (edits[name](/** @type {any} */ (given), markdown));
}

/**
 * Refuses a markdown text that would take too long to edit.
 * @param {string} path
 * @param {string} markdown
 * @param {AbortSignal} [signal]
 * @throws {RunError}
 */
export async function refuseSlowMarkdown(path, markdown, signal) {
  if (costOfMarkdown(markdown).isHigh)
    await editMarkdown('none', {}, {path, markdown, signal, maxMs: maxCheckMs});
}

/**
 * @param {Task} task
 * @param {{path: string, line: number, maxMs: number, signal: AbortSignal | null}} bound
 */
async function editInThread(task, {path, line, maxMs, signal}) {
  const thread = new Worker(worker, {resourceLimits: {maxOldGenerationSizeMb: 1024}});
  const next = async (/** @type {AbortSignal} */ soon) => {
    const [answer] = await untilAborted(once(thread, 'message'), soon);
    return /** @type {Answer} */ (answer);
  };
  try {
    await within(Number.POSITIVE_INFINITY, signal, next);
    thread.postMessage(task);
    const {done, refused} = await within(maxMs, signal, next);
    if (refused !== undefined) throw new UsageError(refused);
    return done;
  } catch (error) {
    if (!(error instanceof TimeLimitError) && !isOutOfMemory(error)) throw error;
    throw new RunError(
      `${maskPassword(path)} takes too long to read as markdown. The reason is probably line ${line}, or what is around it: quotations or lists that are too deep in each other, or too many characters such as * and [. Simplify it, or name another file.`,
      {cause: error},
    );
  } finally {
    await thread.terminate();
  }
}

/** @param {unknown} error */
function isOutOfMemory(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/**
 * What the parser has to do for a markdown text, estimated in a time that grows with its length. The parser's own time grows with the square of how many
 * characters that may open or close something a paragraph has, and of how deep quotations and lists are in each other.
 *
 * @typedef {object} MarkdownCost
 * @property {boolean} isHigh whether it may take more than a moment
 * @property {number} line with the largest part of it, from 1
 */

/** A paragraph, a row of a table and a nesting up to these are usual. */
const usual = {marksOfParagraph: 200, marksOfRow: 50, depth: 8};

/** Of the squares of what is beyond. The parser takes about half a second for as much. */
const maxSquares = 1_000_000;

/** The parser reads this much within a second, whatever it is. */
const maxLength = 100_000;

const marks = /[*_[\]!<&`~|\\]/g;
const containers = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*/;
/** Without its white space. */
const delimiterRow = /^\|?:?-+:?(?:\|:?-+:?)*\|?$/;

/** @param {string} markdown @returns {MarkdownCost} */
export function costOfMarkdown(markdown) {
  const lines = markdown.split(/\r\n?|\n/);
  let squares = 0;
  let largest = {line: 1, square: 0};
  const add = (/** @type {number} */ line, /** @type {number} */ beyond) => {
    const square = Math.max(0, beyond) ** 2;
    squares += square;
    if (square > largest.square) largest = {line, square};
  };
  for (const {from, to} of blocksOf(lines)) {
    const isTable = to - from > 1 && isTableHead(lines[from], lines[from + 1]);
    let ofParagraph = {line: from + 1, most: 0, all: 0};
    for (let index = from; index < to; index += 1) {
      add(index + 1, depthOf(lines[index]) - usual.depth);
      const count = lines[index].match(marks)?.length ?? 0;
      if (isTable) add(index + 1, count - usual.marksOfRow);
      else if (count > ofParagraph.most)
        ofParagraph = {line: index + 1, most: count, all: ofParagraph.all + count};
      else ofParagraph.all += count;
    }
    add(ofParagraph.line, ofParagraph.all - usual.marksOfParagraph);
  }
  const isLong = markdown.length > maxWholeLength && reduceMarkdown(markdown).text.length > maxLength;
  return {isHigh: squares > maxSquares || isLong, line: largest.line};
}

/** @param {readonly string[]} lines @returns {{from: number, to: number}[]} the lines between blank ones */
function blocksOf(lines) {
  const blocks = [];
  let from = 0;
  for (let index = 0; index <= lines.length; index += 1) {
    if (index < lines.length && lines[index].trim() !== '') continue;
    if (index > from) blocks.push({from, to: index});
    from = index + 1;
  }
  return blocks;
}

/** @param {string} header @param {string} delimiter */
function isTableHead(header, delimiter) {
  const row = delimiter.replace(/[ \t]/g, '');
  return delimiterRow.test(row) && columnsOf(row) === columnsOf(header.trim());
}

/** @param {string} row */
function columnsOf(row) {
  return row.replace(/^\||\|$/g, '').split('|').length;
}

/** How deep a line may be in quotations and lists. @param {string} line */
function depthOf(line) {
  const [before] = /** @type {RegExpExecArray} */ (containers.exec(line));
  const spaces = before.length - before.trimStart().length;
  return (before.match(/\S+/g)?.join('').length ?? 0) + Math.floor(spaces / 2);
}
