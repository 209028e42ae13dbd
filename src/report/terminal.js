import {styleText} from 'node:util';

/** @typedef {(format: 'green' | 'yellow' | 'red' | 'bold', text: string) => string} Paint */

/**
 * Uses colours on a terminal that supports them. FORCE_COLOR and NO_COLOR override that, in this order, as in Node.js.
 * @param {Pick<NodeJS.WriteStream, 'isTTY'>} stream
 * @returns {Paint}
 */
export function painter({isTTY}) {
  const {FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal} = process.env;
  const isWanted = forced === undefined ? isTTY && !none && terminal !== 'dumb' : !/^(0|false)$/.test(forced);
  return (format, text) => (isWanted ? styleText(format, text, {validateStream: false}) : text);
}

const defaultWidth = 80;
/** Narrower, not even the columns that are always shown fit. */
const minWidth = 60;

/** The width of a terminal; 80 in a file or a pipe. @param {Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>} stream */
export function widthOf({isTTY, columns}) {
  return isTTY && columns > 0 ? Math.max(minWidth, columns) : defaultWidth;
}
