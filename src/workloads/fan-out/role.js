/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['broadcast'],
  isRoundTrips: true,
  hasServer: true,
  broadcasts: true,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureFanOut,
  server: async () => (await import('./server.js')).makeHub,
};
