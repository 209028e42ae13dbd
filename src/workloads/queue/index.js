/** @import {Workload} from '../index.js' */

/** Messages that may be unconfirmed with publisher confirms on. */
const usualWindow = 256;

/**
 * A durable queue between: the client puts N messages in, then takes all of them out, each part timed by itself.
 * @type {Workload}
 */
export const queue = {
  name: 'queue',
  summary: 'N messages into a durable queue, then out of it',
  needs: ['store'],
  figure: 'rate',
  hasServer: false,
  partsAreTheWhole: true,
  isOpenEnded: true,
  dimensions: (transport, variant) => ({
    pairwise: [false],
    ...(transport.boundsSends?.(variant) && {window: [usualWindow]}),
  }),
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureQueue,
  server: () => {
    throw new TypeError('The queue workload has no server.');
  },
};
