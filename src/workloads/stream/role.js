import {isOpenLoop} from '../open-loop/index.js';

/** @import {WorkloadRole} from '../workload.js' */

/** @satisfies {WorkloadRole} */
export const role = {
  needs: ['send'],
  hasServer: true,
  isPaced: isOpenLoop,
  concurrency: (/** @type {{window?: number | null}} */ {window}) => window ?? 1,
  client: async () => (await import('./client.js')).measureStream,
  server: async () => (await import('./server.js')).makeStreamHandler,
};
