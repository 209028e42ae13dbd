/** @import {Workload} from '../index.js' */

/**
 * Requests through a cache of the client: some are answered there, the others by the server.
 * @type {Workload}
 */
export const cached = {
  name: 'cached',
  summary: 'requests through a client-side cache',
  needs: ['request'],
  figure: 'latency',
  hasServer: true,
  dimensions: () => ({hitRatio: [0.9], answer: ['echo']}),
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureCached,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
