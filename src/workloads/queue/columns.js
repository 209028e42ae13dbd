import {formatRateMean} from '../../columns/figures.js';

/**
 * @import {Column} from '../../columns/column.js'
 * @import {Timed} from '../../measure/counts.js'
 */

/** @typedef {{enqueue: Timed, dequeue: Timed}} QueuePhases */

/** The two phases of a queue. @type {readonly Column[]} */
export const queueColumns = /** @type {const} @satisfies {readonly (keyof QueuePhases)[]} */ ([
  'enqueue',
  'dequeue',
]).flatMap((name) => [
  {heading: `${name} msgs/s ± 95 %`, cell: (record) => formatRateMean(record.phases[name])},
  {heading: 'ms', cell: (record) => record.phases[name].meanMs.toFixed(1)},
]);
