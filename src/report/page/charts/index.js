import {groupBy} from '../../../stats/numbers.js';
import {tableOf} from '../../tables/blocks.js';
import {anatomyOfMeans, cpuPerMessage} from './bars.js';
import {percentileCurves, responseOverRate, trialsByRound} from './lines.js';
import {figureOverSize} from './over-size.js';

/**
 * @import {CellRecord} from '../../../results/record-schema.js'
 * @import {Chart} from '../../charts/chart.js'
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
 * @param {readonly CellRecord[]} records @param {string} floor the transport that the others are compared with
 * @returns {Chart[]}
 */
export function chartsOf(records, floor) {
  const completed = records.filter((record) => record.outcome === 'completed');
  return [...groupBy(completed, tableOf)].flatMap(([{name}, cells]) =>
    drawings.flatMap((draw) => draw(cells, {name, floor})),
  );
}
