import {readFileSync} from 'node:fs';

/** @import {DocumentName} from './sources.js' */

/**
 * One published figure.
 *
 * @typedef {object} PublishedFigure
 * @property {DocumentName} document
 * @property {string} system what was measured
 * @property {string} scenario what it was asked
 * @property {string} environment where, as far as the text says
 * @property {string} payload as the text calls its size; - where it has none
 * @property {number | null} payloadBytes null where the text gives no number
 * @property {string} figure as printed, without its unit
 * @property {number | number[] | null} value the number; a list for a figure of several parts such as 87.7/25.9/24.3; null for one
 *   that is only about (~40000) or a bound (<5000)
 * @property {'ms' | 'ms total' | 'us' | 's' | 'calls/s' | 'pairs/s' | 'msg/s' | '%' | 'x'} unit ms total: for all messages together
 * @property {string} source where in the document
 */

/**
 * The figures of a text, in its order. Those of a text that has charts only come from the data files of the charts.
 * @param {DocumentName} document
 * @returns {PublishedFigure[]} the caller's own
 */
export function publishedFigures(document) {
  return read(document).groups.flatMap(({rows, kilobytes, figures, ...shared}) =>
    (rows ?? rowsOfCurve(kilobytes, figures)).map((row) => {
      const printed = /** @type {Omit<PublishedFigure, 'document' | 'payloadBytes' | 'value'>} */ ({
        ...shared,
        ...row,
      });
      return {document, ...printed, payloadBytes: payloadBytesOf(printed), value: numberOf(printed.figure)};
    }),
  );
}

/**
 * What a text says of the machines and versions that it measured with.
 * @param {DocumentName} document
 * @returns {readonly string[]}
 */
export function publishedMachines(document) {
  return read(document).machines;
}

/**
 * A file has its figures in groups of rows, in the order of the text; what all rows of a group have in common stands once. A curve of a chart is
 * a group of sizes and figures.
 * @typedef {{rows: Record<string, string>[], kilobytes?: undefined, figures?: undefined}} Rows
 * @typedef {{rows?: undefined, kilobytes: number[], figures: number[]}} Curve
 * @typedef {{machines: string[], groups: ((Rows | Curve) & {[shared: string]: unknown})[]}} Document
 *
 * @type {Map<DocumentName, Document>}
 */
const documents = new Map();

/** Each file is read when it is asked for: most runs need none. @param {DocumentName} document @returns {Document} */
function read(document) {
  const known = documents.get(document);
  if (known) return known;
  const text = readFileSync(new URL(`${document}.json`, import.meta.url), 'utf8');
  /** @type {Document} */
  const parsed = JSON.parse(text);
  documents.set(document, parsed);
  return parsed;
}

/**
 * In the data files of charts 0 KB is one byte.
 * @param {readonly number[]} kilobytes
 * @param {readonly number[]} figures
 * @returns {Record<string, string>[]}
 */
function rowsOfCurve(kilobytes, figures) {
  return kilobytes.map((size, index) => ({
    payload: size === 0 ? '1 B' : `${size} KB`,
    figure: String(figures[index]),
  }));
}

const bytesOfUnit = {b: 1, chars: 1, kb: 1024, m: 1024 ** 2};

/**
 * A record set has its size in what was asked: 72591 rows 4.086M. Small is where a curve begins, at one byte.
 * @param {{payload: string, scenario: string}} figure
 * @returns {number | null}
 */
function payloadBytesOf({payload, scenario}) {
  if (payload === 'small') return 1;
  const [, number, unit] =
    /^([\d.]+) ?(kb|b|chars)\b/i.exec(payload) ?? / ([\d.]+)(M)\b/.exec(scenario) ?? [];
  if (number === undefined) return null;
  return Math.round(
    Number(number) * bytesOfUnit[/** @type {keyof typeof bytesOfUnit} */ (unit.toLowerCase())],
  );
}

/** @param {string} figure @returns {number | number[] | null} */
function numberOf(figure) {
  const parts = figure.split('/').map(Number);
  if (parts.some(Number.isNaN)) return null;
  return parts.length === 1 ? parts[0] : parts;
}
