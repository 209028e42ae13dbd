import {createInterface} from 'node:readline/promises';
import {styleText} from 'node:util';
import {safeText} from '../safe-text.js';
import {joinIndented, widthOf} from '../text/lines.js';

/** @import {Paint} from './types.js' */

/**
 * Uses colours on a terminal that supports them. FORCE_COLOR and then NO_COLOR take precedence, as in Node.js.
 * @param {Pick<NodeJS.WriteStream, 'isTTY'>} stream @returns {Paint}
 */
export function painter({isTTY}) {
  const {FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal} = process.env;
  const isWanted = forced === undefined ? isTTY && !none && terminal !== 'dumb' : !/^(0|false)$/.test(forced);
  return (format, text) => (isWanted ? styleText(format, text, {validateStream: false}) : text);
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
