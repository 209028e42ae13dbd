import {publishedFigures} from './figures.js';
import {publishedSources} from './sources.js';

/** The source of the published rows. */
export const PUBLISHED_SOURCE = publishedSources['perf-battle-readme'];

/**
 * A row of the table of 2016.
 *
 * @typedef {object} PublishedRow
 * @property {number} id its number in the source
 * @property {string} facilitator
 * @property {string} environment
 * @property {string} payload
 * @property {string | null} persistent `Yes`, `No`, or null if it has no meaning
 * @property {Record<'t2.micro' | 'm4.xlarge', {printed: string, ms: number} | null>} rtt mean round-trip times as the source prints
 *   them, with their unit, and in milliseconds; null if the source has no figure
 */

/**
 * The reference rows that were published in 2016. They were not measured by this program.
 *
 * @returns {PublishedRow[]} the caller's own, in the order of the source
 */
export function publishedRows() {
  /** @type {Map<number, PublishedRow>} */
  const rows = new Map();
  for (const {source, system, scenario, environment: place, payload, figure, value, unit} of publishedFigures(
    'perf-battle-readme',
  )) {
    const [, environment, machine] = partsOf(/^(.+) \/ (t2\.micro|m4\.xlarge) column$/, place);
    const id = Number(partsOf(/^document row (\d+)$/, source)[1]);
    const persistent = partsOf(/, persistent=(.+)$/, scenario)[1];
    const row = rows.get(id) ?? {
      ...{id, facilitator: system, environment, payload},
      persistent: persistent === 'N/A' ? null : persistent,
      rtt: {'t2.micro': null, 'm4.xlarge': null},
    };
    row.rtt[/** @type {keyof PublishedRow['rtt']} */ (machine)] = {
      printed: `${figure} ${unit}`,
      ms: /** @type {number} */ (value),
    };
    rows.set(id, row);
  }
  return [...rows.values()];
}

/** @param {RegExp} pattern @param {string} text @returns {string[]} */
function partsOf(pattern, text) {
  const parts = pattern.exec(text);
  if (!parts)
    throw new TypeError(`${JSON.stringify(text)} is not a valid text in a row of the table of 2016.`);
  return parts;
}
