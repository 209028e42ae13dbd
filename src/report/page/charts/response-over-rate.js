import {formatRate, formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {groupBy} from '../../../stats/numbers.js';
import {rate} from '../../../workloads/shared-options.js';
import {logAxis, markedLogAxis} from '../../charts/axis.js';
import {cellText, chartPerSize, formatMark, linesDrawing, styles} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

/**
 * Response times of an open loop over the offered rate. They rise at the knee, where a transport no longer keeps up.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string, floor: string}} table floor: the transport that the others are compared with
 * @returns {Chart[]} a chart for each payload size that was measured at several rates
 */
export function responseOverRate(records, {name, floor}) {
  const open = records.filter(({openLoop}) => openLoop !== null);
  const styleOf = styles(open, nameOf);
  const what = {
    table: name,
    id: 'response',
    title: 'p99 of the response time over the offered rate',
    note: 'Response times count from the intended send time. A hollow mark shows a rate at which the transport did not keep up: the knee is before it.',
  };
  return chartPerSize(open, what, (block, title) => {
    const rates = [...new Set(block.map(({openLoop}) => openLoop?.offeredPerSecond ?? 0))].sort(
      (one, other) => one - other,
    );
    const series = [...groupBy(block, nameOf)]
      .map(([label, cells]) => ({
        name: label,
        style: styleOf(cells[0]),
        isDashed: cells[0].transport === floor,
        points: cells.flatMap(pointOf).toSorted((one, other) => one.x - other.x),
      }))
      .filter(({points}) => points.length > 0);
    if (rates.length < 2 || series.length === 0) return null;
    const nameOfRate = (/** @type {number} */ value) => `${formatRate(value)}/s`;
    const ticks = rates.map((value) => ({value, label: nameOfRate(value)}));
    const y = logAxis(
      series.flatMap(({points}) => points.map((point) => point.y)),
      {label: 'p99 of the response time, ms', format: formatMark},
    );
    const x = markedLogAxis(ticks, 'offered messages per second');
    return linesDrawing({title, x, y, series}, nameOfRate);
  });
}

/** A record's name without its rate. @param {CompletedRecord} record */
function nameOf({labels, variant}) {
  const ofRate = rate.label?.(Number(variant[rate.key]));
  return nameOfVariant({...labels, settings: labels.settings.filter((setting) => setting !== ofRate)});
}

/** @param {CompletedRecord} record */
function pointOf(record) {
  const {openLoop, rtt} = record;
  const y = rtt?.p99Ms ?? rtt?.maxMs ?? null;
  if (openLoop === null || y === null) return [];
  const name = rtt?.p99Ms == null ? 'max' : 'p99';
  const kept = openLoop.keepsUp
    ? 'kept up'
    : `fell behind: ${formatRate(openLoop.achievedPerSecond)}/s achieved`;
  const figure = formatShortMs(y);
  const {offeredPerSecond: x, keepsUp} = openLoop;
  const value = `${figure}${name === 'max' ? ' (max)' : ''}${keepsUp ? '' : ' ◄ knee'}`;
  const text = cellText(record, `${name} ${figure} ms at ${x}/s, ${kept}`);
  return [{x, y, interval: rtt?.ci95?.p99Ms ?? null, value, text, isHollow: !keepsUp}];
}
