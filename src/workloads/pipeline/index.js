/** @import {Workload} from '../index.js' */

/**
 * Up to a window of requests in flight: with a window of one the synchronous echo, with larger ones the asynchronous.
 * @type {Workload}
 */
export const pipeline = {
  name: 'pipeline',
  summary: 'up to --window requests in flight',
  needs: ['request'],
  figure: 'rate',
  hasServer: true,
  dimensions: () => ({window: [1, 16, 256], answer: ['echo']}),
  concurrency: ({window}) => window,
  client: async () => (await import('./client.js')).measurePipeline,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
