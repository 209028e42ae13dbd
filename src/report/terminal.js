import {styleText} from 'node:util';

/** @typedef {(format: 'green' | 'yellow' | 'red' | 'bold', text: string) => string} Paint */

/** Uses colours only on a terminal that supports them. @param {Pick<NodeJS.WriteStream, 'isTTY'>} stream @returns {Paint} */
export function painter(stream) {
  const colours = stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return (format, text) => (colours ? styleText(format, text) : text);
}

const defaultWidth = 80;
/** Narrower, not even the columns that are always shown fit. */
const minWidth = 60;

/** The width of a terminal; 80 in a file or a pipe. @param {Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>} stream */
export function widthOf({isTTY, columns}) {
  return isTTY && columns > 0 ? Math.max(minWidth, columns) : defaultWidth;
}
