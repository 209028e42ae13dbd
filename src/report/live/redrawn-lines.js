import {stripVTControlCharacters} from 'node:util';
import {sum} from 'simple-statistics';
import {columnsOf} from '../terminal.js';

/** @typedef {Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>} Screen */

/** Of a terminal that does not say its size. */
const usualSize = {columns: 80, rows: 24};

const clearToEndOfLine = '\u001b[K';
const clearToEndOfScreen = '\u001b[J';

/**
 * Lines at the end of a terminal that are drawn again in the same place. The cursor stays visible, on the empty line below them: there is
 * nothing to restore, however the process ends.
 */
export class RedrawnLines {
  /** As they stand on the screen, without colours. @type {readonly string[]} */
  #drawn = [];

  /** @param {Screen} stream */
  constructor(stream) {
    this.stream = stream;
  }

  /** How many lines there is room for. */
  get room() {
    return sizeOf(this.stream).rows - 1;
  }

  /** @param {readonly string[]} lines those that do not fit in the height are left out; longer ones are cut */
  draw(lines) {
    const {columns} = sizeOf(this.stream);
    const shown = lines.slice(0, this.room).map((line) => cut(line, columns - 1));
    const text = shown.map((line) => `${line}${clearToEndOfLine}\n`).join('');
    this.stream.write(`${this.#toFirstLine()}${text}${clearToEndOfScreen}`);
    this.#drawn = shown.map((line) => stripVTControlCharacters(line));
  }

  clear() {
    if (this.#drawn.length > 0) this.stream.write(`${this.#toFirstLine()}${clearToEndOfScreen}`);
    this.#drawn = [];
  }

  /** A terminal that became narrower since has broken the lines that are too long for it now. */
  #toFirstLine() {
    const {columns} = sizeOf(this.stream);
    const rowsOf = (/** @type {string} */ line) => Math.max(1, Math.ceil(columnsOf(line) / columns));
    const rows = sum(this.#drawn.map(rowsOf));
    return rows > 0 ? `\r\u001b[${rows}A` : '\r';
  }
}

const characters = new Intl.Segmenter();

/** @param {Screen} stream */
function sizeOf({columns, rows}) {
  return {columns: columns || usualSize.columns, rows: rows || usualSize.rows};
}

/** A line that is too long loses its colours, too. @param {string} line @param {number} width */
function cut(line, width) {
  if (columnsOf(line) <= width) return line;
  let shown = '';
  for (const {segment} of characters.segment(stripVTControlCharacters(line))) {
    if (columnsOf(shown + segment) > width) break;
    shown += segment;
  }
  return shown;
}
