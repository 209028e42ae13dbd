import {formatMean, formatMs, formatRate, formatRateMean} from './figures.js';

/** @import {CompletedRecord} from '../results/record-schema.js' */

/**
 * A kind of table in a results file. The format of results.md fixes markers, columns and names.
 *
 * @typedef {object} ResultsKind
 * @property {string} marker the text of the comment before the table
 * @property {readonly string[]} firstColumns identify the table
 * @property {string} prefix of the columns that hold figures, before the name of a machine
 * @property {(row: ResultRow) => string[]} nameOf the cells of firstColumns after the Id
 * @property {(record: CompletedRecord) => number} figureOf
 * @property {(figure: number) => string} format
 * @property {(record: CompletedRecord) => string | null} withInterval the figure and its interval; null if it has none
 *
 * @typedef {object} ResultRow
 * @property {string} facilitator for example `RabbitMQ` or `HTTP (no keep-alive, suspect)`
 * @property {string} environment for example `local`
 * @property {string} payloadSize for example `1kb`
 * @property {string} persistent `Yes`, `No` or `*N/A*`
 * @property {string} [workload] in the tables that have such a column
 * @property {Record<string, number | null>} figures per machine, as the kind of table defines them; null or absent where there is none
 * @property {Record<string, string | null>} [withIntervals] the same with their intervals
 */

/** Mean round-trip times, in the table that was published in 2016. @type {ResultsKind} */
export const meanRoundTrips = {
  marker: 'perf-battle:results',
  firstColumns: ['Id', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
  prefix: 'RTT ',
  nameOf: ({facilitator, environment, payloadSize, persistent}) => [
    facilitator,
    environment,
    payloadSize,
    persistent,
  ],
  figureOf: ({rtt, throughput}) => rtt?.meanMs ?? throughput.messagesPerSecond,
  format: (figure) => `${formatMs(figure)} ms`,
  withInterval: ({rtt}) => (rtt?.ci95Ms ? `${formatMean(rtt)} ms` : null),
};

/**
 * Messages per second, in a table of their own for each name.
 * @param {string} name of the table
 * @returns {ResultsKind}
 */
export function messageRates(name) {
  return {
    marker: `perf-battle:results:${name}`,
    firstColumns: ['Id', 'Workload', 'Facilitator', 'Environment', 'Payload Size', 'Persistent'],
    prefix: 'msgs/s ',
    nameOf: (row) => [row.workload ?? name, ...meanRoundTrips.nameOf(row)],
    figureOf: ({throughput}) => throughput.messagesPerSecond,
    format: formatRate,
    withInterval: ({throughput}) => rateWithInterval(throughput),
  };
}

/** @param {Parameters<typeof formatRateMean>[0]} rate @returns {string | null} null if it has no interval */
export function rateWithInterval(rate) {
  return rate.ci95MessagesPerSecond ? formatRateMean(rate) : null;
}
