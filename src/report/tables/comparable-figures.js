import {formatCpuPercent, formatMs, formatRate} from '../../columns/figures.js';
import {comparableRates, mergeUsed} from '../../results/comparable.js';
import {bandsOf} from '../../stats/summary.js';
import {tableOf} from './blocks.js';

/**
 * @import {Comparison} from '../../presets/types.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/**
 * @typedef {{what: string, figure: string}} MeasuredFigure with its unit
 */

/**
 * The figures of a record, of the same kind as the published ones.
 * @param {Comparison} comparison @param {CompletedRecord} record @returns {MeasuredFigure[]}
 */
export function measuredFigures(comparison, record) {
  return [...kinds[comparison.figure](comparison, record), ...(comparison.hasCpu ? cpuFigures(record) : [])];
}

/** @param {CompletedRecord} record */
function cpuFigures(record) {
  return [{what: 'CPU client / server / broker', figure: `${formatCpuPercent(record)} %`}];
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

/** Three decimals, as in the published text. @param {number | null} nanoseconds */
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

/** The number of messages of a trial and their time: as a whole, or for each phase. @param {CompletedRecord} record */
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
