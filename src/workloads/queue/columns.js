import {guarantee} from '../../columns/columns.js';
import {formatRateMean, formatRateWithEnds, formatShortRate} from '../../columns/figures.js';
import {compareCells} from '../../columns/summaries.js';

/**
 * @import {Column, Compared} from '../../columns/column.js'
 * @import {Timed} from '../../measure/counts.js'
 */

/** @typedef {{enqueue: Timed, dequeue: Timed}} QueuePhases */

const phases = /** @type {const} @satisfies {readonly (keyof QueuePhases)[]} */ (['enqueue', 'dequeue']);

/** The two phases of a queue. @type {readonly Column[]} */
const phaseColumns = phases.flatMap((name, index) => [
  {
    heading: `${name}/s`,
    priority: index,
    cell: (record) => formatRateMean(record.phases[name]),
    inDetail: {
      heading: `${name}/s [95 %]`,
      cell: (record) => (name in record.phases ? formatRateWithEnds(record.phases[name]) : 'n/a'),
    },
  },
  {heading: `${name} ms`, priority: 2, cell: (record) => record.phases[name]?.meanMs.toFixed(1) ?? 'n/a'},
]);

/** @type {readonly Column[]} */
export const queueColumns = [...phaseColumns, {...guarantee, priority: 1}];

/** @type {Compared} */
const compared = {
  figureOf: (record) => phases.map((name) => `${name} ${formatShortRate(record.phases[name])}/s`).join(', '),
};

/** A queue is compared by both of its rates. */
export const comparedQueue = {summarize: compareCells(compared), compared};
