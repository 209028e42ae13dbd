import {formatMs, formatRate} from './figures.js';

/** @import {ResultRow} from './results-table.js' */

/**
 * The kinds of tables in a results file: one of mean round-trip times, as it was published in 2016, and one of messages per second for
 * each other workload.
 *
 * @typedef {object} TableKind
 * @property {string} marker the text of the comment before it
 * @property {readonly string[]} firstColumns by which it is known
 * @property {readonly string[]} usualColumns of a new one, besides
 * @property {string} prefix of the columns that hold figures, before the name of a machine
 * @property {(row: ResultRow) => string[]} nameOf the cells of firstColumns after the Id
 * @property {(figure: number) => string} format
 */

/** @type {TableKind} */
const roundTrips = {
  marker: 'perf-battle:results',
  firstColumns: ['Id', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
  usualColumns: ['RTT t2.micro', 'RTT m4.xlarge'],
  prefix: 'RTT ',
  nameOf: ({facilitator, environment, payloadSize, persistent}) => [
    facilitator,
    environment,
    payloadSize,
    persistent,
  ],
  format: (figure) => `${formatMs(figure)} ms`,
};

/**
 * @param {string} workload
 * @returns {TableKind}
 */
export function tableKindOf(workload) {
  if (workload === 'rtt') return roundTrips;
  return {
    marker: `perf-battle:results:${workload}`,
    firstColumns: ['Id', 'Workload', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
    usualColumns: [],
    prefix: 'msgs/s ',
    nameOf: (row) => [row.workload ?? workload, ...roundTrips.nameOf(row)],
    format: formatRate,
  };
}
