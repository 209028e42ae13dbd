import {markdownTable} from 'markdown-table';
import {formatRatio} from '../../columns/figures.js';
import {formatBytes} from '../../payload/bytes.js';
import {scaleRemarks} from '../../results/newest-records.js';
import {
  PUBLISHED_SOURCE,
  publishedFigures,
  publishedMachines,
  publishedRows,
  publishedSources,
} from '../../results/published/figures.js';
import {changedNotes, lengthNotes} from '../preset-notes.js';
import {plainText, wrapWords} from '../terminal.js';
import {versionRemarksIn} from '../version-remarks.js';
import {measuredFigures} from './comparable-figures.js';
import {facilitatorOf} from './result-rows.js';
import {escapeCell, NOT_AVAILABLE} from './table-of.js';
import {textTable} from './text-table.js';

/**
 * @import {Preset} from '../../presets/preset.js'
 * @import {PublishedFigure} from '../../results/published/figures.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {VersionRemarks} from '../version-remarks.js'
 */

/**
 * @typedef {object} Row
 * @property {number} payloadBytes
 * @property {string} what
 * @property {string[]} cells
 * @property {string} [system] of a measured one
 * @property {number | undefined} [meanMs] of a measured one
 */

const whatDiffers = 'What cannot be compared, and what this program had to choose:';
const columns = ['System', 'What', 'Payload', 'Figure', 'Machine', 'Source'];

/**
 * How the text is written. In markdown, names are escaped; on a terminal they stand as they are.
 * @typedef {{escape: (cell: string) => string, link: (title: string, url: string) => string}} Format
 */

/** @type {Format} */
const markdown = {escape: escapeCell, link: (title, url) => `[${title}](${url})`};

/** @type {Format} */
export const forTerminal = {escape: plainText, link: (title, url) => `${title}, ${url}`};

/**
 * The figures of a battle beside the published ones of its preset and sizes, in the published unit, ordered by size. Each row says whether it
 * was published or measured here. The text below lists what cannot be compared.
 *
 * @param {Preset} preset
 * @param {readonly CellRecord[]} records
 * @param {Format} [format]
 * @returns {string} without a line ending at its end
 */
export function besidePublished(preset, records, format = markdown) {
  const completed = records.filter((record) => record.outcome === 'completed');
  const {published, measured, note} = ofSomeSizes(preset, completed);
  const versionsOf = versionRemarksIn(measured);
  const rows = sideBySide([
    ...published.map((figure) => publishedRow(preset, figure)),
    ...measured.flatMap((record) => measuredRows(preset, record, versionsOf)),
  ]);
  const hasRatio = preset.comparison.figure === 'mean';
  const heading = hasRatio ? [...columns, 'Ratio'] : columns;
  const cellsOf = (/** @type {Row} */ row) =>
    hasRatio ? [...row.cells, ratioToPublished(row, published)] : row.cells;
  const table = markdownTable([heading, ...rows.map((row) => cellsOf(row).map(format.escape))]);
  const sizes = [...new Set(measured.map(({payloadBytes}) => payloadBytes))];
  const showsRatio = hasRatio && rows.some((row) => ratioToPublished(row, published) !== '');
  const own = [...(preset.notesOn?.(sizes) ?? []), ...(showsRatio ? [ratioNote] : [])];
  const notes = [...preset.differs, ...own, ...lengthNotes(completed), ...changedNotes(preset, completed)];
  return [table, ...note, sourceOf(preset, format), listOf(whatDiffers, notes)].join('\n\n');
}

/**
 * The records of some sizes, and the published figures that stand beside them. A figure without a size stands beside all.
 * @param {Preset} preset
 * @param {readonly CompletedRecord[]} records
 * @returns {{published: PublishedFigure[], measured: CompletedRecord[], note: string[]}}
 */
function ofSomeSizes({document, comparison, settings}, records) {
  const figures = publishedFigures(document).filter(comparison.isShown);
  const ofText = figures.flatMap(({payloadBytes}) => payloadBytes ?? []);
  const planned = /** @type {readonly number[]} */ (settings.payloadBytes ?? ofText);
  const sizes = new Set(records.length > 0 ? records.map(({payloadBytes}) => payloadBytes) : planned);
  const shown = shownSizes([...sizes], ofText);
  const isShown = (/** @type {PublishedFigure} */ {payloadBytes}) =>
    payloadBytes === null || shown.has(nearestOf([...planned, ...sizes], payloadBytes));
  const note = `This table has ${shown.size} of the ${sizes.size} measured sizes. The results have all of them; --payload selects others.`;
  return {
    published: figures.filter(isShown),
    measured: records.filter(({payloadBytes}) => shown.has(payloadBytes)),
    note: shown.size < sizes.size ? [note] : [],
  };
}

const ratioNote =
  'Ratio: the measured mean divided by the fastest published one of the same system, payload and persistence. It compares machines of different years, too; only the rows that were measured here compare settings.';

/**
 * @param {Row} row
 * @param {readonly PublishedFigure[]} published
 * @returns {string} empty for a published row, and where nothing comparable was published
 */
function ratioToPublished({meanMs, system, what, payloadBytes}, published) {
  if (meanMs === undefined) return '';
  const values = published.flatMap((figure) =>
    system?.startsWith(figure.system) && figure.scenario === what && figure.payloadBytes === payloadBytes
      ? Number(figure.value ?? Number.POSITIVE_INFINITY)
      : [],
  );
  const fastestMs = Math.min(...values);
  return Number.isFinite(fastestMs) && fastestMs > 0 ? formatRatio({ratio: meanMs / fastestMs}) : '';
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

/** @param {Preset} preset @param {PublishedFigure} figure @returns {Row} one without a published size comes first, or last if it is the largest */
function publishedRow({document}, figure) {
  const {system, scenario, payload, payloadBytes, environment, unit, source} = figure;
  return {
    payloadBytes: payloadBytes ?? (payload.startsWith('largest') ? Number.POSITIVE_INFINITY : 0),
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

/** @param {Preset} preset @param {CompletedRecord} record @param {VersionRemarks} versionsOf @returns {Row[]} */
function measuredRows({comparison}, record, versionsOf) {
  return measuredFigures(comparison, record).map(({what, figure}) => ({
    payloadBytes: record.payloadBytes,
    what,
    system: record.labels.facilitator,
    meanMs: record.rtt?.meanMs ?? undefined,
    cells: [
      systemOf(record, versionsOf),
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
 * @param {VersionRemarks} versionsOf
 */
function systemOf({labels, config, ...record}, versionsOf) {
  const facilitator = [labels.facilitator, labels.qualifier].filter(Boolean).join(' ');
  const settings = [...labels.settings, ...scaleRemarks({config})];
  return facilitatorOf([{...record, labels: {...labels, facilitator, settings}, config: {}}], versionsOf);
}

/** @param {Preset} preset @param {Format} format */
function sourceOf({document, title, url}, {link}) {
  return listOf(`Published in ${link(title, url)}, measured on these machines:`, publishedMachines(document));
}

/** @param {string} heading @param {readonly string[]} items */
function listOf(heading, items) {
  return [heading, '', ...items.map((text) => `- ${text}`)].join('\n');
}

/** If there are more sizes than this, a comparison has only some of them. */
const maxSizes = 8;

/**
 * The sizes of a comparison with published figures: all of them, or the first, the last, and those nearest to a published one. If these are
 * too many as well, those of a whole curve, then the first, the middle one and the last.
 *
 * @param {readonly number[]} sizes in bytes, in any order
 * @param {readonly number[]} published sizes
 * @returns {Set<number>}
 */
function shownSizes(sizes, published) {
  const ordered = [...new Set(sizes)].toSorted((one, other) => one - other);
  if (ordered.length <= maxSizes) return new Set(ordered);
  const nearest = new Set(published.map((size) => nearestOf(ordered, size)));
  const inBetween = nearest.size > maxSizes ? [ordered[Math.floor(ordered.length / 2)]] : nearest;
  return new Set([ordered[0], ...inBetween, ordered[ordered.length - 1]]);
}

/** @param {readonly number[]} sizes at least one @param {number} wanted */
function nearestOf(sizes, wanted) {
  return sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best));
}

/** The first column is not called Id, so that this table is never taken for the one of measured results. */
const COLUMNS = [
  'Published',
  'Transport',
  'Environment',
  'Payload Size',
  'Persistent',
  'RTT t2.micro',
  'RTT m4.xlarge',
];

const whatIsPublished =
  'These figures were published in 2016, for comparison only; this program did not measure them. Source:';

/**
 * The published figures as a markdown table, below a sentence that says what they are and where they come from.
 *
 * @returns {string} without a line ending at its end
 */
export function publishedTable() {
  const {title, url} = PUBLISHED_SOURCE;
  return `${whatIsPublished} [${title}](${url}).\n\n${markdownTable([COLUMNS, ...publishedCells()])}`;
}

/** The same for a terminal. @param {number} width @returns {string} */
export function publishedText(width) {
  const {title, url} = PUBLISHED_SOURCE;
  const cells = publishedCells();
  const columns = COLUMNS.map((heading, at) => ({
    heading: at === 0 ? '#' : heading.replace(' Size', ''),
    cells: cells.map((row) => row[at].replaceAll('*', '')),
    isText: at > 0 && at < 5,
    wraps: at === 1,
  }));
  const sentence = wrapWords(`${whatIsPublished} ${title}, ${url}`, width);
  return [...sentence, '', ...textTable(columns, width).lines].join('\n');
}

function publishedCells() {
  return publishedRows().map((row) => [
    String(row.id),
    row.facilitator,
    row.environment,
    row.payload,
    row.persistent ?? NOT_AVAILABLE,
    row.rtt['t2.micro']?.printed ?? NOT_AVAILABLE,
    row.rtt['m4.xlarge']?.printed ?? NOT_AVAILABLE,
  ]);
}
