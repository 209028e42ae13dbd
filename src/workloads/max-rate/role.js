/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  hasServer: true,
  isPaced: () => true,
  concurrency: (/** @type {{window: number}} */ {window}) => window,
  client: async () => (await import('./client.js')).measureMaxRate,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
