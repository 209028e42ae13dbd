import {completeOpenLoop, isOpenLoop, openLoopDimensions, usualOpenWindow} from '../open-loop/index.js';
import {arrivals, clients, rate, reply, retries, servers, verify, window} from '../shared-options.js';

/** @import {Workload} from '../index.js' */

const options = [window, clients, servers, rate, arrivals, reply, verify, retries];

/**
 * One request outstanding, each reply waited for; with a rate, requests at times fixed beforehand.
 * @satisfies {Workload}
 */
export const rtt = {
  name: /** @type {const} */ ('rtt'),
  summary: 'one request outstanding, each reply waited for',
  options,
  needs: ['request'],
  figure: 'latency',
  hasServer: true,
  dimensions: () => ({...openLoopDimensions, window: [usualOpenWindow], answer: ['echo']}),
  isPaced: isOpenLoop,
  complete: (variant) => {
    const {window, ...rest} = completeOpenLoop(variant);
    return isOpenLoop(rest) ? {...rest, window} : rest;
  },
  concurrency: (options) => (isOpenLoop(options) ? options.window : 1),
  client: async (options) =>
    isOpenLoop(options)
      ? (await import('../open-loop/client.js')).measureResponseTimes
      : (await import('./client.js')).measureRoundTrips,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
