import {option} from '../../options/option.js';
import {share} from '../../options/types.js';
import {clients, contentGroup, reply, retries, servers, verify} from '../shared-options.js';

/** @import {Workload} from '../index.js' */

const options = [
  clients,
  servers,
  reply,
  verify,
  retries,
  option('hit-ratio', {
    type: share({minimum: 0, maximum: 1}),
    default: 0.9,
    list: true,
    label: (value) => `${Number((value * 100).toFixed(4))} % hits`,
    help: 'The cached workload: the share of requests that the cache of the client answers.',
    group: contentGroup,
  }),
];

/**
 * Requests through a cache of the client: some are answered there, the others by the server.
 * @satisfies {Workload}
 */
export const cached = {
  name: /** @type {const} */ ('cached'),
  summary: 'requests through a client-side cache',
  options,
  needs: ['request'],
  figure: 'latency',
  hasServer: true,
  dimensions: () => ({hitRatio: [0.9], answer: ['echo']}),
  concurrency: () => 1,
  client: async () => (await import('./client.js')).measureCached,
  server: async () => (await import('../answer-server.js')).makeAnswerHandler,
};
