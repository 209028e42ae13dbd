/** @import {WorkloadRole} from '../../workload.js' */

/** Takes everything out of a durable queue that another client has filled. @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).drainStore,
  server: () => {
    throw new TypeError('A queue that is emptied has no server.');
  },
};
