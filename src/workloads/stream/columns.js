import {formatRateMean} from '../../columns/figures.js';

/**
 * @import {Column} from '../../columns/column.js'
 * @import {Timed} from '../../measure/counts.js'
 */

/** @typedef {{sender?: Timed}} SenderPhases there with a closing call */

const sender = /** @satisfies {keyof SenderPhases} */ ('sender');

/** The rate by the sender's clock, until the reply to its closing call. @type {Column} */
export const senderRate = {
  heading: 'by the sender',
  priority: 2,
  cell: ({phases}) => (sender in phases ? formatRateMean(phases[sender]) : 'n/a'),
  isShown: (records) => records.some(({phases}) => sender in phases),
};
