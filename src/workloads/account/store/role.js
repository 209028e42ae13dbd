/** @import {WorkloadRole} from '../../workload.js' */

/** A steady load into a durable queue; what each message became is kept. @satisfies {WorkloadRole} */
export const role = {
  needs: ['store'],
  hasServer: false,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).storeSteadily,
  server: () => {
    throw new TypeError('A steady load into a queue has no server.');
  },
};
