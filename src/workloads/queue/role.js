/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  // A duration cannot bound a trial, because every message must be taken out again.
  defaultSamples: 5000,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureQueue,
};
