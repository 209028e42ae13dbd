import {formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {timeOfTrial} from '../../../results/comparable.js';
import {countAxis, logAxis} from '../../charts/axis.js';
import {cellText, chartPerSize, formatMark, linesDrawing, styles} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

/**
 * The trials that each mean is made of, in the order of the rounds: drift and outliers show here.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string, floor: string}} table floor: the transport that the others are compared with
 * @returns {Chart[]} a chart for each payload size with several rounds
 */
export function trialsByRound(records, {name, floor}) {
  const closed = records.filter(({openLoop}) => openLoop === null);
  const styleOf = styles(closed);
  const what = {
    table: name,
    id: 'trials',
    title: 'Trials by round',
    note: 'Each point is one pair of processes. A point says so if its trial was disturbed.',
  };
  return chartPerSize(closed, what, (block, title) => {
    const series = block
      .map((record) => ({
        name: nameOfVariant(record.labels),
        style: styleOf(record),
        isDashed: record.transport === floor,
        points: record.trials.flatMap((trial) => pointOf(record, trial)),
      }))
      .filter(({points}) => points.length > 0);
    const points = series.flatMap(({points: some}) => some);
    const last = Math.max(0, ...points.map(({x}) => x));
    if (last < 2) return null;
    const y = logAxis(
      points.map((point) => point.y),
      {label: 'time for a message, ms', format: formatMark},
    );
    return linesDrawing({title, x: countAxis(1, last, 'round'), y, series}, (round) => `round ${round}`);
  });
}

/** @param {CompletedRecord} record @param {CompletedRecord['trials'][number]} trial */
function pointOf(record, trial) {
  const {round, disturbed, used} = trial;
  const y = timeOfTrial(record.comparedBy, trial);
  if (!(y > 0 && Number.isFinite(y))) return [];
  const marks = [...(disturbed ? ['disturbed'] : []), ...(used ? [] : ['does not count'])];
  const text = [`${formatShortMs(y)} ms in round ${round}`, ...marks].join(', ');
  const value = marks.length > 0 ? `${formatShortMs(y)} (${marks.join(', ')})` : formatShortMs(y);
  return [{x: round, y, value, text: cellText(record, text)}];
}
