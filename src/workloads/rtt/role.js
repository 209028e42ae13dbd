import {isOpenLoop} from '../open-loop/index.js';

/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['request'],
  isRoundTrips: true,
  hasServer: true,
  isPaced: isOpenLoop,
  concurrency: (/** @type {{rate: number | null, window: number}} */ options) =>
    isOpenLoop(options) ? options.window : 1,
  client: async (/** @type {{rate: number | null}} */ options) =>
    isOpenLoop(options)
      ? (await import('../open-loop/client.js')).measureResponseTimes
      : (await import('./client.js')).measureRoundTrips,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
