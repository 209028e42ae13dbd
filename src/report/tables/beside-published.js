import {isDeepStrictEqual} from 'node:util';
import {markdownTable} from 'markdown-table';
import {formatCpuPercent, formatMs, formatRate, formatRatio} from '../../columns/figures.js';
import {formatBytes} from '../../payload/bytes.js';
import {comparableRates, mergeUsed} from '../../results/comparable.js';
import {scaleRemarks} from '../../results/newest-records.js';
import {publishedFigures, publishedMachines, publishedSources} from '../../results/published/figures.js';
import {ascending} from '../../stats/numbers.js';
import {bandsOf} from '../../stats/summary.js';
import {escapeCell, plainText} from '../terminal.js';
import {tableOf} from './blocks.js';
import {facilitatorOf, versionRemarksIn} from './result-rows.js';

/**
 * @import {Comparison, Preset} from '../../presets/types.js'
 * @import {PublishedFigure} from '../../results/published/figures.js'
 * @import {CellRecord, CompletedRecord} from '../../results/record-schema.js'
 * @import {VersionRemarks} from '../types.js'
 */

/**
 * @typedef {{payloadBytes: number, what: string, cells: string[], system?: string, meanMs?: number | undefined}} Row system: of a measured row;
 *   meanMs: of a measured row
 */

const whatDiffers = 'What cannot be compared, and what this program had to choose:';
const columns = ['System', 'What', 'Payload', 'Figure', 'Machine', 'Source'];

/** @typedef {{escape: (cell: string) => string, link: (title: string, url: string) => string}} Format */

/** @type {Format} */
const markdown = {escape: escapeCell, link: (title, url) => `[${title}](${url})`};

/** @type {Format} */
export const forTerminal = {escape: plainText, link: (title, url) => `${title}, ${url}`};

/**
 * Compares the figures of a battle with the published figures of its preset and sizes, in the published unit, ordered by size. Each row
 * says whether it was published or measured. The text below the table lists what cannot be compared.
 * @param {Preset} preset @param {readonly CellRecord[]} records @param {Format} [format] @returns {string} without a line ending at its end
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
 * Selects the records of the shown sizes and their published figures. A figure without a size belongs to all sizes.
 * @param {Preset} preset @param {readonly CompletedRecord[]} records
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
  'Ratio: the measured mean divided by the fastest published mean of the same system, payload and persistence. It compares machines of different years, too; only the rows that were measured here compare settings.';

/**
 * @param {Row} row @param {readonly PublishedFigure[]} published
 * @returns {string} empty for a published row, and if no comparable figure was published
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

/** @param {Preset} preset @param {PublishedFigure} figure @returns {Row} without a size: first, or last for the largest payload */
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
 * The name includes the qualifier, which has no column: RabbitMQ mode 2 (confirms, suspect). It omits the preset, which all rows share.
 * @param {CompletedRecord} record @param {VersionRemarks} versionsOf
 */
function systemOf({labels, config, ...record}, versionsOf) {
  const facilitator = [labels.facilitator, labels.qualifier].filter(Boolean).join(' ');
  const settings = [...labels.settings, ...scaleRemarks({config})];
  return facilitatorOf([{...record, labels: {...labels, facilitator, settings}, config: {}}], versionsOf);
}

/** @param {Preset} preset @param {Format} format */
function sourceOf({document}, {link}) {
  const {title, url} = publishedSources[document];
  return listOf(`Published in ${link(title, url)}, measured on these machines:`, publishedMachines(document));
}

/** @param {string} heading @param {readonly string[]} items */
function listOf(heading, items) {
  return [heading, '', ...items.map((text) => `- ${text}`)].join('\n');
}

/** A comparison of more sizes than this shows only some of them. */
const maxSizes = 8;

/**
 * Returns all sizes, or the first, the last, and the sizes nearest to published ones. If these are still too many, as for a whole
 * curve, returns the first, the middle and the last.
 * @param {readonly number[]} sizes in bytes, in any order @param {readonly number[]} published in bytes
 */
function shownSizes(sizes, published) {
  const ordered = ascending(sizes);
  if (ordered.length <= maxSizes) return new Set(ordered);
  const nearest = new Set(published.map((size) => nearestOf(ordered, size)));
  const inBetween = nearest.size > maxSizes ? [ordered[Math.floor(ordered.length / 2)]] : nearest;
  return new Set([ordered[0], ...inBetween, ordered[ordered.length - 1]]);
}

/** @param {readonly number[]} sizes at least one @param {number} wanted */
function nearestOf(sizes, wanted) {
  return sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best));
}

/**
 * Says how the length of the battles differs from that of the published benchmark. All published benchmarks ran everything once.
 * @param {readonly CompletedRecord[]} records
 */
function lengthNotes(records) {
  if (records.length === 0) return [];
  const rounds = Math.max(...records.map(({trials}) => trials.filter(isFirstOfRound).length));
  const haveIntervals = records.every(({trials}) => trials.filter(({used}) => used).length > 1);
  const scales = records.map(({config: {scale = 1}}) => Number(scale)).filter((scale) => scale !== 1);
  return [
    rounds === 1
      ? 'The text ran everything once, as here. A single trial has no interval; --rounds 5 gives one and takes five times as long.'
      : `The text ran everything once. Here there are ${rounds} rounds${haveIntervals ? ', which give an interval' : ''}.`,
    ...(scales.length === 0
      ? []
      : [
          `With --scale ${[...new Set(scales)].join(' or ')} each trial and each counted warm-up had that share of its messages. The numbers of messages in this list are not scaled.`,
        ]),
  ];
}

/**
 * A disturbed round is repeated, and then has two trials.
 * @param {CompletedRecord['trials'][number]} trial @param {number} index @param {CompletedRecord['trials']} trials
 */
function isFirstOfRound({round, startedAt}, index, trials) {
  return !trials.slice(0, index).some((other) => other.round === round && other.startedAt !== startedAt);
}

/**
 * Lists the settings of a preset that the battles changed. The other notes state the settings of the preset.
 * @param {Pick<Preset, 'settings' | 'today'>} preset @param {readonly CompletedRecord[]} records
 */
function changedNotes({settings, today = {}}, records) {
  const given = Object.keys(settings).filter((key) => !saidElsewhere.includes(key));
  const changed = given.filter((key) =>
    records.some(
      ({config}) =>
        config[key] !== undefined &&
        ![settings[key], today[key]].some((value) => isDeepStrictEqual(value, config[key])),
    ),
  );
  if (changed.length === 0) return [];
  const values = changed.map((key) => `${key} ${JSON.stringify(settings[key])}`).join(', ');
  return [
    `These notes describe the settings of the preset. The battle had settings other than ${values} (the record's config has them).`,
  ];
}

/** The rows name transports and sizes; lengthNotes states the rounds. */
const saidElsewhere = ['transport', 'payloadBytes', 'rounds'];

/** @typedef {{what: string, figure: string}} MeasuredFigure figure: with its unit */

/** Returns the figures of a record that correspond to the published ones. @param {Comparison} comparison @param {CompletedRecord} record */
function measuredFigures(comparison, record) {
  const cpu = {
    what: `CPU client / server${record.hosts.broker === null ? '' : ' / broker'}`,
    figure: `${formatCpuPercent(record)} %`,
  };
  return [...kinds[comparison.figure](comparison, record), ...(comparison.hasCpu ? [cpu] : [])];
}

/** @type {Record<Comparison['figure'], (comparison: Comparison, record: CompletedRecord) => MeasuredFigure[]>} */
const kinds = {mean: meanOf, rate: rateOf, bands: bandFigures, total: totalsOf};

/** @param {Comparison} comparison @param {CompletedRecord} record */
function meanOf({what}, {rtt, labels}) {
  const persistent = labels.persistent.replaceAll('*', '');
  return rtt ? [{what: `${what}, persistent=${persistent}`, figure: `${formatMs(rtt.meanMs)} ms`}] : [];
}

/** @param {Comparison} comparison @param {CompletedRecord} record */
function rateOf({what, unit}, record) {
  return comparableRates(record).map(({part, messagesPerSecond}) => ({
    what: part === null ? what : `${what}, ${part}`,
    figure: `${formatRate(messagesPerSecond)} ${unit}`,
  }));
}

/** @param {Comparison} _comparison @param {CompletedRecord} record */
function bandFigures(_comparison, {trials, throughput}) {
  const histogram = mergeUsed(trials);
  const {count} = histogram;
  if (count === 0) return [];
  const bands = bandsOf(histogram).flatMap(({percent, meanNs, maxNs}) => [
    {what: `RTT ${percent}% avg`, figure: formatMicros(meanNs)},
    {what: `RTT ${percent}% max`, figure: formatMicros(maxNs)},
  ]);
  return [
    {what: 'RTT avg', figure: formatMicros(histogram.mean)},
    {what: 'RTT min', figure: formatMicros(histogram.minimum)},
    {what: 'RTT max', figure: formatMicros(histogram.maximum)},
    ...bands,
    {what: 'throughput', figure: `${formatRate(throughput.messagesPerSecond)} msg/s`},
  ].map(({what, figure}) => ({what: `${what}, ${count} msgs`, figure}));
}

/** Uses three decimals, as the published text does. @param {number | null} nanoseconds */
function formatMicros(nanoseconds) {
  return nanoseconds === null ? 'n/a' : `${(nanoseconds / 1000).toFixed(3)} µs`;
}

/** @param {Comparison} comparison @param {CompletedRecord} record */
function totalsOf({what, messages: wanted = 1}, record) {
  return partsOf(record).map(({name, messages, ms}) => ({
    what: [name, what].filter(Boolean).join(' ') + (messages === wanted ? '' : `, scaled from ${messages}`),
    figure: `${formatTotal((ms * wanted) / messages)} ms total`,
  }));
}

/** Returns the messages of a trial and their time, in total or for each phase. @param {CompletedRecord} record */
function partsOf(record) {
  const {phases, throughput, counts, trials} = record;
  if (tableOf(record).isInParts)
    return Object.entries(phases).map(([name, {messages, meanMs}]) => ({name, messages, ms: meanMs}));
  const messages = Math.round(counts.received / trials.filter(({used}) => used).length);
  return [{name: '', messages, ms: (messages * 1000) / throughput.messagesPerSecond}];
}

/** @param {number} ms */
function formatTotal(ms) {
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(1);
}
