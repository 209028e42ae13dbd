/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  hasServer: true,
  concurrency: (/** @type {{window: number}} */ {window}) => window,
  client: async () => (await import('./client.js')).measurePipeline,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
