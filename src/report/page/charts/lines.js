import {percentileOf} from '../../../columns/columns.js';
import {formatRate, formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {timeOfTrial, usedHistograms} from '../../../results/comparable.js';
import {ascending, groupBy} from '../../../stats/numbers.js';
import {Mixture} from '../../../stats/trial-summary.js';
import {rate} from '../../../workloads/shared-options.js';
import {countAxis, logAxis, markedLogAxis} from '../../charts/axis.js';
import {cellText, chartPerSize, formatMark, linesDrawing, nameWithRate, styles} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Axis, Point} from '../../charts/chart.js'
 *
 * @typedef {object} LinesOfCells
 * @property {(record: CompletedRecord) => string} nameOf a cell
 * @property {(block: readonly CompletedRecord[]) => CompletedRecord[][]} [linesOf] the cells of each line; default: a line for each cell
 * @property {(cells: readonly CompletedRecord[]) => Point[]} pointsOf a line; a line without points is left out
 * @property {(points: readonly Point[], block: readonly CompletedRecord[]) => Axis | null} xOf null if there is nothing to show
 * @property {string} label of the vertical axis, which is logarithmic
 * @property {(x: number) => string} columnOf heading of the column of a value x, in a table of the points
 */

/**
 * Draws a chart of lines for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, floor: string, id: string, title: string, note: string}} what floor: the transport that the others are compared with
 * @param {LinesOfCells} how
 */
function linesPerSize(records, {floor, ...what}, {nameOf, pointsOf, xOf, label, columnOf, ...how}) {
  const {linesOf = (block) => block.map((record) => [record])} = how;
  const styleOf = styles(records, nameOf);
  return chartPerSize(records, what, (block, title) => {
    const series = linesOf(block)
      .map((cells) => ({
        name: nameOf(cells[0]),
        style: styleOf(cells[0]),
        isDashed: cells[0].transport === floor,
        points: pointsOf(cells),
      }))
      .filter(({points}) => points.length > 0);
    const points = series.flatMap((one) => one.points);
    const x = points.length === 0 ? null : xOf(points, block);
    if (x === null) return null;
    const y = logAxis(
      points.map((point) => point.y),
      {label, format: formatMark},
    );
    return linesDrawing({title, x, y, series}, columnOf);
  });
}

/** Marks of the axis of an HDR percentile plot: 1 / (1 - percentile / 100). */
const marks = [
  {value: 1, label: '0 %'},
  {value: 2, label: '50 %'},
  {value: 10, label: '90 %'},
  {value: 100, label: '99 %'},
  {value: 1000, label: '99.9 %'},
  {value: 10_000, label: '99.99 %'},
  {value: 100_000, label: '99.999 %'},
];

const pointsPerDecade = 8;

/**
 * Draws the whole distribution of each cell, up to the last percentile with at least ten samples above it.
 * @param {readonly CompletedRecord[]} records of one table @param {{name: string, floor: string}} table
 */
export function percentileCurves(records, {name, floor}) {
  const what = {
    ...{table: name, floor, id: 'percentiles'},
    title: 'Percentiles of the latency',
    note: 'All samples of the trials that count, with the same weight for each trial. A curve ends where fewer than ten samples are above it.',
  };
  return linesPerSize(records, what, {
    nameOf: nameWithRate,
    pointsOf: ([record]) => curveOf(record),
    xOf(points) {
      const highest = Math.max(...points.map(({x}) => x));
      const end = marks.findIndex(({value}) => value >= highest * (1 - 1e-9));
      return markedLogAxis(marks.slice(0, Math.max(2, end + 1)), 'percentile');
    },
    label: 'latency, ms',
    columnOf: nameOfPercentile,
  });
}

/** @param {CompletedRecord} record @returns {Point[]} empty without latencies */
function curveOf(record) {
  const some = usedHistograms(record.trials);
  if (some.length === 0) return [];
  const mixture = new Mixture(some);
  const points = [];
  for (let step = 0; ; step += 1) {
    const x = 10 ** (step / pointsPerDecade);
    const percentile = 100 * (1 - 1 / x);
    const valueNs = mixture.percentile(percentile);
    if (valueNs === null || x > marks[marks.length - 1].value) return points;
    const isNamed = step > 0 && step % pointsPerDecade === 0;
    const y = valueNs / 1e6;
    const value = formatShortMs(y);
    const text = cellText(record, `${nameOfPercentile(x)} ${value} ms`);
    points.push({x, y, ...(isNamed && {value, text})});
  }
}

/** @param {number} x on the axis */
function nameOfPercentile(x) {
  return `p${Number((100 * (1 - 1 / x)).toFixed(4))}`;
}

/**
 * Draws response times of an open loop over the offered rate, if there are several rates. The times rise at the knee, where a
 * transport no longer keeps up.
 * @param {readonly CompletedRecord[]} records of one table @param {{name: string, floor: string}} table
 */
export function responseOverRate(records, {name, floor}) {
  const open = records.filter(({openLoop}) => openLoop !== null);
  const what = {
    ...{table: name, floor, id: 'response'},
    title: 'p99 of the response time over the offered rate',
    note: 'Response times count from the intended send time. A hollow mark shows a rate at which the transport did not keep up: the knee is before it.',
  };
  const columnOf = (/** @type {number} */ value) => `${formatRate(value)}/s`;
  return linesPerSize(open, what, {
    nameOf: nameWithoutRate,
    linesOf: (block) => [...groupBy(block, nameWithoutRate).values()],
    pointsOf: (cells) => cells.flatMap(responseOf).toSorted((one, other) => one.x - other.x),
    xOf(_points, block) {
      const rates = ascending(block.map(({openLoop}) => openLoop?.offeredPerSecond ?? 0));
      const ticks = rates.map((value) => ({value, label: columnOf(value)}));
      return ticks.length < 2 ? null : markedLogAxis(ticks, 'offered messages per second');
    },
    label: 'p99 of the response time, ms',
    columnOf,
  });
}

/** @param {CompletedRecord} record */
function nameWithoutRate({labels, variant}) {
  const ofRate = rate.label?.(Number(variant[rate.key]));
  return nameOfVariant({...labels, settings: labels.settings.filter((setting) => setting !== ofRate)});
}

/** @param {CompletedRecord} record */
function responseOf(record) {
  const {openLoop, rtt} = record;
  const y = rtt?.p99Ms ?? rtt?.maxMs ?? null;
  if (openLoop === null || y === null) return [];
  const name = rtt?.p99Ms == null ? 'max' : 'p99';
  const kept = openLoop.keepsUp
    ? 'kept up'
    : `fell behind: ${formatRate(openLoop.achievedPerSecond)}/s achieved`;
  const figure = name === 'max' ? formatShortMs(y) : percentileOf(rtt, 'p99Ms');
  const {offeredPerSecond: x, keepsUp} = openLoop;
  const value = `${figure}${name === 'max' ? ' (max)' : ''}${keepsUp ? '' : ' ◄ knee'}`;
  const text = cellText(record, `${name} ${figure} ms at ${x}/s, ${kept}`);
  return [{x, y, interval: rtt?.ci95?.p99Ms ?? null, value, text, isHollow: !keepsUp}];
}

/**
 * Draws the trials of each mean in the order of the rounds, if there are several rounds. The chart shows drift and outliers.
 * @param {readonly CompletedRecord[]} records of one table @param {{name: string, floor: string}} table
 */
export function trialsByRound(records, {name, floor}) {
  const closed = records.filter(({openLoop}) => openLoop === null);
  const what = {
    ...{table: name, floor, id: 'trials'},
    title: 'Trials by round',
    note: 'Each point is one pair of processes. In the values, * is a trial that was disturbed or does not count, as its point says.',
  };
  return linesPerSize(closed, what, {
    nameOf: ({labels}) => nameOfVariant(labels),
    pointsOf: ([record]) => record.trials.flatMap((trial) => trialPoint(record, trial)),
    xOf(points) {
      const last = Math.max(...points.map(({x}) => x));
      return last < 2 ? null : countAxis(1, last, 'round');
    },
    label: 'time for a message, ms',
    columnOf: (round) => `round ${round}`,
  });
}

/** @param {CompletedRecord} record @param {CompletedRecord['trials'][number]} trial @returns {Point[]} empty if the trial has no time */
function trialPoint(record, trial) {
  const {round, disturbed, used} = trial;
  const y = timeOfTrial(record.comparedBy, trial);
  if (!(y > 0 && Number.isFinite(y))) return [];
  const remarks = [...(disturbed ? ['disturbed'] : []), ...(used ? [] : ['does not count'])];
  const text = [`${formatShortMs(y)} ms in round ${round}`, ...remarks].join(', ');
  const value = remarks.length > 0 ? `${formatShortMs(y)}*` : formatShortMs(y);
  return [{x: round, y, value, text: cellText(record, text)}];
}
