import {defaultSamples} from './default-samples.js';

/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  defaultSamples,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureQueue,
  server: () => {
    throw new TypeError('The queue workload has no server.');
  },
};
