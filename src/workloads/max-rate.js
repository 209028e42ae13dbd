/**
 * The highest rate of an open loop at which the p99 of the response time stays within a bound.
 * @type {import('./index.js').Workload}
 */
export const maxRate = {
  name: 'max-rate',
  summary: 'the highest rate that holds a p99 (--find-max-rate)',
  needs: ['request'],
  figure: 'rate',
  hasServer: true,
  dimensions: () => ({maxP99Ms: [10], arrivals: ['constant'], window: [1000], answer: ['echo']}),
  concurrency: ({window}) => window,
  client: async () => (await import('./max-rate-client.js')).measureMaxRate,
  server: async () => (await import('./answer-server.js')).makeAnswerHandler,
};
