/**
 * @import {WorkloadRole} from '../workload.js'
 * @import {makeRequestRing} from './request.js'
 */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: (/** @type {{window: number}} */ {window}) => window,
  requests: async (/** @type {Parameters<typeof makeRequestRing>[0]} */ options) =>
    (await import('./request.js')).makeRequestRing(options),
  client: async () => (await import('./client.js')).measureRecordSets,
  server: async () => (await import('./server.js')).makeRecordSetHandler,
};
