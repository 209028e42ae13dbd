/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureCached,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
