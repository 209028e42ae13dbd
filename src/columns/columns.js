import {
  formatBriefRatio,
  formatCpu,
  formatMean,
  formatMs,
  formatMsWithEnds,
  formatPercentile,
  formatRate,
  formatRateMean,
  formatRateWithEnds,
  formatRatioWithEnds,
  formatShortMs,
  formatShortRatio,
  formatStanding,
  formatStandingWithEnds,
  isDifferenceShown,
  markOf,
} from './figures.js';
import {nameOfVariant} from './names.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Column, Compared, Summarize} from './column.js'
 */

/** The columns that several workloads use. The folder of a workload declares the columns that only this workload uses. */

/** @type {Column} */
export const mean = {
  heading: 'Mean ± 95 %',
  priority: 0,
  cell: ({rtt}) => (rtt ? formatMean(rtt) : 'n/a'),
  inDetail: {
    heading: 'Mean [95 %] (ms)',
    cell: ({rtt}) => (rtt ? formatMsWithEnds(rtt.meanMs, rtt.ci95Ms) : 'n/a'),
  },
};

/** @type {Column} */
export const rate = {
  heading: 'msgs/s ± 95 %',
  priority: 0,
  cell: ({throughput}) => formatRateMean(throughput),
  inDetail: {heading: 'msgs/s [95 %]', cell: ({throughput}) => formatRateWithEnds(throughput)},
};

/** The sum of the rates of several clients, each measured by its own clock. @type {Column} */
export const summedRate = {
  heading: 'summed',
  priority: 7,
  cell: ({throughput}) => formatRate(throughput.summedMessagesPerSecond),
  isShown: (records) => records.some(({variant}) => Number(variant.clients) > 1),
};

/** A table without room for two ratios shows the ratio to the floor, because each row has this ratio and the summary mentions it. @type {Column} */
export const standing = {
  heading: 'vs fastest',
  priority: (records) => (records.some(hasFloor) ? 6 : 3),
  cell: (_record, ofCell) => formatStanding(ofCell),
  inBrief: (_record, ofCell) => formatBriefRatio(ofCell),
  inDetail: {heading: 'vs fastest [95 %]', cell: (_record, ofCell) => formatStandingWithEnds(ofCell)},
};

/** @type {Column} */
export const p50 = percentile('p50', 'p50Ms', 1);

/** @type {Column} */
export const p99 = percentile('p99', 'p99Ms', 4);

/** @type {Column} */
export const max = {
  heading: 'max',
  priority: 5,
  cell: ({rtt}) => formatShortMs(rtt?.maxMs ?? null),
  inDetail: {heading: 'max', cell: ({rtt}) => formatMs(rtt?.maxMs ?? null)},
};

/** @type {Column} */
export const floor = {
  heading: '× floor',
  priority: 3,
  cell: (record) => formatStanding(record.floor),
  inBrief: (record) => formatBriefRatio(record.floor),
  isShown: (records) => records.some(hasFloor),
  inDetail: {
    heading: '× floor [95 %]',
    cell: (record) => (record.floor ? `${formatRatioWithEnds(record.floor)}${markOf(record.floor)}` : 'n/a'),
  },
};

/** @type {Column} */
export const plainRate = {
  heading: 'msgs/s',
  priority: 2,
  cell: ({throughput}) => formatRate(throughput.messagesPerSecond),
};

/** @type {Column} */
export const megabytes = {
  heading: 'MB/s',
  priority: 5,
  cell: ({throughput}) => formatRate(throughput.bytesPerSecond / 1e6),
};

/** The failures that an acknowledged message survives. Only cells of the same guarantee are ranked. @type {Column} */
export const guarantee = {
  heading: 'Class',
  priority: 3.5,
  cell: (record) => record.guarantee?.name.replace(' before the acknowledgement', '') ?? '',
  isShown: (records) => records.some((record) => record.guarantee !== undefined),
};

/** @type {Column} */
export const cpu = {heading: 'CPU µs/msg', priority: 8, cell: formatCpu};

/** @param {CompletedRecord} record */
function hasFloor({floor}) {
  return floor !== null;
}

/**
 * A percentile of the latency, with its interval over trials if the record has an interval.
 * @param {string} heading @param {'p50Ms' | 'p90Ms' | 'p95Ms' | 'p99Ms' | 'p999Ms'} field @param {number} priority @returns {Column}
 */
export function percentile(heading, field, priority) {
  return {
    heading,
    priority,
    cell: ({rtt}) => percentileOf(rtt, field),
    inDetail: {
      heading,
      cell: ({rtt}) => formatMsWithEnds(rtt?.[field] ?? null, rtt?.ci95?.[field]),
    },
  };
}

/** @param {CompletedRecord['rtt']} rtt @param {Parameters<typeof percentile>[1]} field */
export function percentileOf(rtt, field) {
  return formatPercentile(rtt?.[field] ?? null, {interval: rtt?.ci95?.[field], maxMs: rtt?.maxMs});
}

/** A sentence with more names of cells is harder to read than the table. */
const maxNamed = 6;

/**
 * Compares the cells with their floor or, without a floor, with the fastest cell. A ratio has no more digits than its interval justifies, and is
 * omitted if no difference is shown. Cells with different floors, such as windows of different sizes, get a sentence per floor.
 * @param {Compared} compared @returns {Summarize}
 */
export function compareCells({figureOf, what = ''}) {
  return (block, isFloor) => {
    const others = block.filter((record) => !isFloor(record));
    if (others.length === 0)
      return [block.map((record) => `${nameOfVariant(record.labels)} ${figureOf(record)}`)];
    const floors = [...new Set(others.map(floorMs))];
    return floors.map((meanMs) =>
      sentenceOf(
        others.filter((record) => floorMs(record) === meanMs),
        {floor: block.find((record) => isFloor(record) && floorMs(record) === meanMs), figureOf, what},
      ),
    );
  };
}

/** @param {CompletedRecord} record */
function floorMs({floor}) {
  return floor?.meanMs ?? null;
}

/**
 * @param {readonly CompletedRecord[]} cells with the same floor
 * @param {{floor: CompletedRecord | undefined, figureOf: (record: CompletedRecord) => string, what: string}} compared
 */
function sentenceOf(cells, {floor, figureOf, what}) {
  const all = floor ? [...cells, floor] : cells;
  const areAllSuspect = all.length > 1 && all.every(isSuspect);
  const areAllRatios = cells.every(isRatioSuspect);
  const parts = cells.slice(0, maxNamed).map((record, index) => {
    const figureMark = isSuspect(record) && !areAllSuspect ? suspectMark : '';
    const ratioMark = isRatioSuspect(record) && !(areAllSuspect && areAllRatios) ? suspectMark : '';
    const name = nameOfVariant(record.labels);
    if (index > 0) return `${name}${besideFirst(record, {first: cells[0], figureOf, figureMark, ratioMark})}`;
    const beside = besideFloor(record, floor, what);
    if (beside === '') return `${name} ${figureOf(record)}${figureMark}`;
    return `${name} ${figureOf(record)}${ratioMark === '' ? figureMark : ''}${beside}${ratioMark}`;
  });
  const more = cells.length - parts.length;
  if (more > 0) parts.push(`and ${more} more`);
  if (areAllSuspect) {
    if (areAllRatios) parts.push('all are suspect');
    else parts.push(`all figures are suspect${cells.some(isRatioSuspect) ? '' : ', the ratios are not'}`);
  } else if (floor && isSuspect(floor) && !cells.every(hasRatioVerdict))
    parts.push(`${nameOfFloor(floor)} is suspect`);
  return parts;
}

/** What follows a suspect figure. */
export const suspectMark = ' (suspect)';

/** @param {CompletedRecord} record */
export function isSuspect({verdict}) {
  return verdict.status === 'suspect';
}

/** Old records have no verdict on the ratio. @param {CompletedRecord} record */
function hasRatioVerdict({floor, vsFastest}) {
  return Boolean((floor ?? vsFastest)?.verdict);
}

/** For an old record, the verdict on the figure is used for the ratio. @param {CompletedRecord} record */
export function isRatioSuspect({floor, vsFastest, verdict}) {
  return ((floor ?? vsFastest)?.verdict ?? verdict).status === 'suspect';
}

/** @param {CompletedRecord} record @param {CompletedRecord | undefined} floor @param {string} what */
function besideFloor(record, floor, what) {
  if (!floor || !record.floor?.ratioCi95) return '';
  const name = nameOfFloor(floor);
  return isDifferenceShown(record.floor)
    ? `, ${formatShortRatio(record.floor)} ${what}${name}`
    : `, no difference from ${name} shown`;
}

/**
 * @param {CompletedRecord} record
 * @param {{first: CompletedRecord, figureOf: (record: CompletedRecord) => string, figureMark: string, ratioMark: string}} compared the marks are empty for figures and ratios that are not suspect
 */
function besideFirst(record, {first, figureOf, figureMark, ratioMark}) {
  const {floor, vsFastest} = record;
  // Cells of another class are not compared with the first cell, and neither is the fastest cell of that class.
  const isOfFirst = vsFastest?.id !== record.id && vsFastest?.id === (first.vsFastest?.id ?? first.id);
  const ratio = floor ?? (isOfFirst ? vsFastest : null);
  // A ratio without an interval supports no comparison.
  if (!ratio?.ratioCi95) return ` ${figureOf(record)}${figureMark}`;
  if (!isDifferenceShown(ratio)) return `: no difference shown${ratioMark}`;
  return ` ${formatShortRatio(ratio)}${floor ? '' : ' as long'}${ratioMark}`;
}

/** @param {CompletedRecord} floor */
export function nameOfFloor({labels}) {
  return `raw ${nameOfVariant(labels)}`;
}

/** Names the cells of an open loop that fell behind. @type {Summarize} */
export function listOverloaded(block) {
  const behind = block.filter(({openLoop}) => openLoop && !openLoop.keepsUp);
  if (behind.length === 0)
    return [[block.length === 1 ? 'kept up with the rate' : 'all kept up with their rates']];
  const names = behind.slice(0, maxNamed).map(({labels}) => nameOfVariant(labels));
  const more = behind.length > maxNamed ? ` and ${behind.length - maxNamed} more` : '';
  const others = behind.length < block.length ? ['the others kept up'] : [];
  return [[`${names.join(', ')}${more} fell behind`, ...others]];
}
