import {readFileSync} from 'node:fs';

/**
 * @typedef {object} PublishedFigure a mean round-trip time
 * @property {string} printed as the source prints it, with its unit
 * @property {number} ms in milliseconds
 *
 * @typedef {object} PublishedRow
 * @property {number} id its number in the source
 * @property {string} facilitator
 * @property {string} environment
 * @property {string} payload
 * @property {string | null} persistent `Yes`, `No`, or null where it has no meaning
 * @property {Record<'t2.micro' | 'm4.xlarge', PublishedFigure | null>} rtt null where the source has no figure
 */

/** @type {{source: {title: string, url: string}, rows: object[]}} */
const published = JSON.parse(readFileSync(new URL('published.json', import.meta.url), 'utf8'), readFigures);

/** Where the published figures come from. */
export const PUBLISHED_SOURCE = published.source;

/**
 * The reference rows that were published in 2016. They were not measured by this program.
 *
 * @returns {PublishedRow[]} a copy, in the order of the source
 */
export function publishedRows() {
  return /** @type {PublishedRow[]} */ (structuredClone(published.rows));
}

/**
 * A reviver: the file has the figures as printed, such as `4.983 ms`, and nothing twice.
 *
 * @param {string} key
 * @param {unknown} value
 * @returns {unknown}
 */
function readFigures(key, value) {
  const isFigure = typeof value === 'string' && (key === 't2.micro' || key === 'm4.xlarge');
  return isFigure ? {printed: value, ms: Number.parseFloat(value)} : value;
}
