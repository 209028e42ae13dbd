import {createInterface} from 'node:readline/promises';
import {styleText} from 'node:util';
import {loadPackage} from '../packages/load.js';
import {safeText} from '../safe-text.js';

/**
 * @import {Paint} from './types.js'
 * @import StringWidth from 'string-width'
 */

/**
 * Uses colours on a terminal that supports them. FORCE_COLOR and then NO_COLOR take precedence, as in Node.js.
 * @param {Pick<NodeJS.WriteStream, 'isTTY'>} stream @returns {Paint}
 */
export function painter({isTTY}) {
  const {FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal} = process.env;
  const isWanted = forced === undefined ? isTTY && !none && terminal !== 'dumb' : !/^(0|false)$/.test(forced);
  return (format, text) => (isWanted ? styleText(format, text, {validateStream: false}) : text);
}

/** Latin letters, punctuation and blocks, each one column wide. */
const narrow = /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2580-\u259f]*$/;
/** @type {typeof StringWidth | null} */
let stringWidth = null;

/**
 * Returns the width of a text in terminal columns. Only a text with other characters loads the library, which takes some 80 ms of CPU time.
 * @param {string} text may have colours
 */
export function columnsOf(text) {
  if (narrow.test(text)) return text.length;
  stringWidth ??= /** @type {{default: typeof StringWidth}} */ (loadPackage('string-width')).default;
  return stringWidth(text);
}

const defaultWidth = 80;
/** In a narrower terminal, not even the columns that are always shown fit. */
const minWidth = 60;

/** Returns the width of a terminal; 80 for a file or a pipe. @param {Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>} stream */
export function widthOf({isTTY, columns}) {
  return isTTY && columns > 0 ? Math.max(minWidth, columns) : defaultWidth;
}

/** Breaks a text between words. A word that is longer than a line gets a separate line. @param {string} text @param {number} width of a line */
export function wrapWords(text, width) {
  return joinParts(text.split(' '), width);
}

/**
 * Joins parts by spaces, as many on a line as fit. A part that is longer than a line is broken between words.
 * @param {readonly string[]} parts @param {number} width of the first line @param {number} [hanging] by how much the other lines are shorter
 */
function joinParts(parts, width, hanging = 0) {
  const [first = '', ...others] = parts.flatMap((part) =>
    columnsOf(part) > width - hanging ? part.split(' ') : [part],
  );
  const lines = [first];
  for (const part of others) {
    const last = lines[lines.length - 1];
    const room = lines.length === 1 ? width : width - hanging;
    if (columnsOf(last) + 1 + columnsOf(part) > room) lines.push(part);
    else lines[lines.length - 1] = `${last} ${part}`;
  }
  return lines;
}

const hangingIndent = 2;

/**
 * Joins parts by spaces, as many on a line as fit. All lines but the first are indented by two more spaces.
 * @param {readonly string[]} parts @param {number} width of a line @param {number} [indent] of the first line
 */
export function joinIndented(parts, width, indent = 0) {
  return joinParts(parts, width - indent, hangingIndent).map(
    (line, index) => ' '.repeat(index === 0 ? indent : indent + hangingIndent) + line,
  );
}

/**
 * Breaks a text between words. All lines but the first are indented by two more spaces.
 * @param {string} text @param {number} width of a line @param {number} [indent] of the first line
 */
export function wrapIndented(text, width, indent = 0) {
  return joinIndented(text.split(' '), width, indent);
}

/**
 * Prints a text for people. On a terminal, lines break between words, except rows of a markdown table. Files and programs get whole lines.
 * @param {string} text may have line breaks @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} [stream]
 */
export function printText(text, stream = process.stderr) {
  const lines = safeText(text).split('\n');
  const width = widthOf(stream);
  const wrapped = (/** @type {string} */ line) =>
    line.startsWith('|') ? [line] : joinIndented(partsOf(line), width);
  const shown = stream.isTTY ? lines.flatMap(wrapped) : lines;
  stream.write(`${shown.join('\n')}\n`);
}

/** A command at the end stays on one line, so that a user can copy it. @param {string} line */
function partsOf(line) {
  const at = line.search(/(?<=: )(?:npx )?perf-battle \S/);
  return at === -1 ? line.split(' ') : [...line.slice(0, at - 1).split(' '), line.slice(at)];
}

/** Returns `safeText` on one line, with single spaces as white space. @param {string} text */
export function plainText(text) {
  return safeText(text).replace(/\s+/gu, ' ').trim();
}

export const NOT_AVAILABLE = '*N/A*';

/**
 * Escapes a text for a table cell: on one line, without characters that would end the cell or have a meaning in markdown. `*N/A*` stays as
 * it is, and so does an underscore within a word.
 * @param {string} text
 */
export function escapeCell(text) {
  if (text === NOT_AVAILABLE) return text;
  return plainText(text).replace(/[\\`*<[\]|~]|&(?=[#\p{L}])|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
}

/**
 * Asks the user on the terminal.
 * @param {string} question @param {AbortSignal} signal
 * @returns {Promise<boolean | null>} whether the answer was yes; null if standard input is not a terminal @throws the signal's reason
 */
export async function ask(question, signal) {
  if (!process.stdin.isTTY) return null;
  const terminal = createInterface({input: process.stdin, output: process.stderr});
  // readline consumes Ctrl-C, so this passes it on to the process.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    const answer = await terminal.question(question, {signal}).catch((error) => {
      signal.throwIfAborted();
      throw error;
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
