import {groupBy} from '../../../stats/numbers.js';
import {tableOf} from '../../tables/table-of.js';
import {anatomyOfMeans} from './anatomy.js';
import {cpuPerMessage} from './cpu-per-message.js';
import {figureOverSize} from './over-size.js';
import {percentileCurves} from './percentile-curves.js';
import {responseOverRate} from './response-over-rate.js';
import {trialsByRound} from './trials-by-round.js';

/**
 * @import {CellRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

const drawings = [
  figureOverSize,
  percentileCurves,
  responseOverRate,
  cpuPerMessage,
  anatomyOfMeans,
  trialsByRound,
];

/**
 * The charts of a battle. The same records give the same characters.
 * @param {readonly CellRecord[]} records
 * @param {string} floor the transport that the others are compared with
 * @returns {Chart[]}
 */
export function chartsOf(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  return [...groupBy(completed, tableOf)].flatMap(([{name}, cells]) =>
    drawings.flatMap((draw) => draw(cells, {name, floor})),
  );
}
