import {completeOpenLoop, isOpenLoop, openLoopDimensions} from '../open-loop/index.js';

/** @import {Workload} from '../index.js' */

/** Messages that may be unconfirmed, or connections of HTTP. */
const usualWindow = 64;

/**
 * One way: the client sends as fast as back-pressure lets it, or at a rate; the receiver counts and times.
 * @type {Workload}
 */
export const stream = {
  name: 'stream',
  summary: 'one way, counted and timed by the receiver',
  needs: ['send'],
  figure: 'rate',
  hasServer: true,
  dimensions: (transport, variant) => {
    const usual = {...openLoopDimensions, closingCall: [false]};
    return transport.boundsSends?.(variant) ? {...usual, window: [usualWindow]} : usual;
  },
  isPaced: isOpenLoop,
  complete: completeOpenLoop,
  concurrency: ({window}) => window ?? 1,
  client: async () => (await import('./client.js')).measureStream,
  server: async () => (await import('./server.js')).makeStreamHandler,
};
