import {recordSetBytes, usualRows} from './size.js';

/** @import {Workload} from '../index.js' */

/**
 * The server answers with rows, which the client decodes: streamed in chunks or preloaded whole, one request after the other or
 * several in flight. The rows are synthetic.
 * @type {Workload}
 */
export const recordset = {
  name: 'recordset',
  summary: 'answers of many rows, decoded by the client',
  needs: ['request'],
  figure: 'latency',
  hasServer: true,
  dimensions: () => ({delivery: ['streamed', 'preloaded'], window: [1, 16]}),
  sizes: ({rows}) =>
    (rows ?? usualRows).map((/** @type {number} */ count) => ({
      payloadBytes: recordSetBytes(count),
      variant: {rows: count},
    })),
  byHand: {rows: usualRows},
  concurrency: ({window}) => window,
  requests: async (options) => (await import('./request.js')).makeRequestRing(/** @type {any} */ (options)),
  client: async () => (await import('./client.js')).measureRecordSets,
  server: async () => (await import('./server.js')).makeRecordSetHandler,
};
