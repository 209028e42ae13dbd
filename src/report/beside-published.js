import {markdownTable} from 'markdown-table';
import {formatBytes} from '../payload/format-bytes.js';
import {publishedFigures, publishedMachines} from '../results/published/figures.js';
import {publishedSources} from '../results/published/sources.js';
import {measuredFigures} from './comparable-figures.js';
import {scaleRemarks} from './preset-remarks.js';
import {facilitatorOf} from './result-rows.js';
import {escapeCell} from './table-row.js';

/**
 * @import {Preset} from '../presets/preset.js'
 * @import {PublishedFigure} from '../results/published/figures.js'
 * @import {CellRecord, CompletedRecord} from '../results/record-schema.js'
 */

/**
 * @typedef {{payloadBytes: number, what: string, cells: string[]}} Row
 */

const columns = ['System', 'What', 'Payload', 'Figure', 'Machine', 'Source'];

/** If there are more sizes than this, the table has only the first, the last, and those nearest to a published one. */
const maxSizes = 20;

/**
 * The figures of a battle beside the published ones of its preset, in the published unit, ordered by size. Each row says whether it was
 * published or measured here. The text below lists what cannot be compared.
 *
 * @param {Preset} preset
 * @param {readonly CellRecord[]} records
 * @returns {string} markdown without a line ending at its end
 */
export function besidePublished(preset, records) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const published = publishedFigures(preset.document).filter(preset.comparison.isShown);
  const {shown, note} = ofSomeSizes(completed, published);
  const rows = sideBySide([
    ...published.map((figure) => publishedRow(preset, figure)),
    ...shown.flatMap((record) => measuredRows(preset, record)),
  ]);
  const table = markdownTable([columns, ...rows.map(({cells}) => cells.map(escapeCell))]);
  return [table, ...note, sourceOf(preset), listOf(preset.differs)].join('\n\n');
}

/**
 * @param {readonly CompletedRecord[]} records
 * @param {readonly PublishedFigure[]} published
 * @returns {{shown: readonly CompletedRecord[], note: string[]}}
 */
function ofSomeSizes(records, published) {
  const sizes = [...new Set(records.map(({payloadBytes}) => payloadBytes))].toSorted(
    (one, other) => one - other,
  );
  if (sizes.length <= maxSizes) return {shown: records, note: []};
  const nearest = published.flatMap(({payloadBytes}) =>
    payloadBytes === null ? [] : [nearestOf(sizes, payloadBytes)],
  );
  const kept = new Set([sizes[0], ...nearest, sizes[sizes.length - 1]]);
  const shown = records.filter(({payloadBytes}) => kept.has(payloadBytes));
  return {
    shown,
    note: [
      `This table has ${kept.size} of the ${sizes.length} measured sizes: the first, the last, and those nearest to a published one. The results have all of them.`,
    ],
  };
}

/** @param {readonly number[]} sizes @param {number} wanted */
function nearestOf(sizes, wanted) {
  return sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best));
}

/**
 * Sorts rows by size. Within one size, rows with the same text up to the first comma are kept together, in their original order.
 * @param {readonly Row[]} rows
 */
function sideBySide(rows) {
  const order = [...new Set(rows.map(subjectOf))];
  return rows.toSorted(
    (one, other) =>
      one.payloadBytes - other.payloadBytes ||
      order.indexOf(subjectOf(one)) - order.indexOf(subjectOf(other)),
  );
}

/** @param {Row} row */
function subjectOf({what}) {
  return what.split(',')[0];
}

/** @param {Preset} preset @param {PublishedFigure} figure @returns {Row} one without a published size comes first */
function publishedRow({document}, figure) {
  const {system, scenario, payload, payloadBytes, environment, unit, source} = figure;
  return {
    payloadBytes: payloadBytes ?? 0,
    what: scenario,
    cells: [
      system,
      scenario,
      payload,
      `${figure.figure} ${unit === 'us' ? 'µs' : unit}`,
      environment,
      `published: ${publishedSources[document].label}, ${source.replace('document ', '')}`,
    ],
  };
}

/** @param {Preset} preset @param {CompletedRecord} record @returns {Row[]} */
function measuredRows({comparison}, record) {
  return measuredFigures(comparison, record).map(({what, figure}) => ({
    payloadBytes: record.payloadBytes,
    what,
    cells: [
      systemOf(record),
      what,
      formatBytes(record.payloadBytes),
      figure,
      `${record.environment} / ${record.machine}`,
      'measured here',
    ],
  }));
}

/**
 * Includes the qualifier, because there is no column for it: RabbitMQ mode 2 (confirms, suspect). All rows are of one preset, so it is not named.
 * @param {CompletedRecord} record
 */
function systemOf({labels, config, ...record}) {
  const facilitator = [labels.facilitator, labels.qualifier].filter(Boolean).join(' ');
  const settings = [...labels.settings, ...scaleRemarks({config})];
  return facilitatorOf({...record, labels: {...labels, facilitator, settings}, config: {}});
}

/** @param {Preset} preset */
function sourceOf({document, title, url}) {
  return `Published in [${title}](${url}); measured on these machines: ${publishedMachines(document).join('; ')}.`;
}

/** @param {readonly string[]} sentences */
function listOf(sentences) {
  return [
    'What cannot be compared, and what this program had to choose:',
    '',
    ...sentences.map((text) => `- ${text}`),
  ].join('\n');
}
