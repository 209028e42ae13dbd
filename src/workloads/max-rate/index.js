import {usualOpenWindow} from '../open-loop/index.js';

/** @import {Workload} from '../index.js' */

/**
 * The highest rate of an open loop at which the p99 of the response time stays within a bound.
 * @type {Workload}
 */
export const maxRate = {
  name: 'max-rate',
  summary: 'the highest rate that holds a p99 (--find-max-rate)',
  needs: ['request'],
  figure: 'rate',
  hasServer: true,
  isOpenEnded: true,
  isPaced: () => true,
  dimensions: () => ({
    maxP99Ms: [10],
    arrivals: ['constant'],
    window: [usualOpenWindow],
    answer: ['echo'],
  }),
  refuse: ({clients}) =>
    clients > 1 ? '--find-max-rate searches with one client; --clients must be 1.' : null,
  concurrency: ({window}) => window,
  client: async () => (await import('./client.js')).measureMaxRate,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
