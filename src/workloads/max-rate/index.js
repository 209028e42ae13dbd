import {rateTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {duration} from '../../options/types.js';
import {defaultOpenWindow} from '../open-loop/index.js';
import {arrivals, clients, loadGroup, reply, search, servers, verify, window} from '../shared-options.js';
import {role} from './role.js';
import {estimateSearchMs} from './step.js';

/** @import {OwnSettings, Workload} from '../workload.js' */

const options = [
  window,
  clients,
  servers,
  arrivals,
  option('find-max-rate', {
    key: 'maxP99Ms',
    type: duration({minimumMs: 0.01, maximumMs: 600_000}),
    list: true,
    label: (value) => `p99 within ${value} ms`,
    help: 'Search for the highest rate at which the p99 of the response time stays within this time; by default 10 ms. Implies --workload max-rate.',
    group: loadGroup,
  }),
  reply,
  verify,
];

/** @typedef {OwnSettings<typeof options> & {window: number, maxP99Ms: number, retries: number}} MaxRateSettings retries: during the warm-up */
const rates = rateTable('max-rate', {hasLatency: true});

/**
 * The highest rate of an open loop at which the p99 of the response time stays within a bound.
 * @satisfies {Workload<MaxRateSettings>}
 */
export const maxRate = {
  name: /** @type {const} */ ('max-rate'),
  ...role,
  summary: 'the highest rate that keeps a p99 (--find-max-rate)',
  options,
  figure: 'rate',
  aggregate: 'median',
  figureNote: 'messages per second, at the highest rate that holds the p99; the median search',
  // One pair measures one size, because a search overloads the pair on purpose.
  sharesPair: () => false,
  impliedBy: 'maxP99Ms',
  withoutFaults:
    'A search for the highest rate takes a fault for a rate that is too high. Leave it out, and choose a fixed rate with --rate.',
  table: () => rates,
  isOpenEnded: true,
  estimateMs: estimateSearchMs,
  dimensions: () => ({
    maxP99Ms: [10],
    arrivals: ['constant'],
    window: [defaultOpenWindow],
    answer: ['echo'],
  }),
  refuse: ({clients = 1}) => (clients > 1 ? '--find-max-rate uses one client; --clients must be 1.' : null),
  cpu: () => search,
  cpuNote:
    'server and broker, by all requests of the search; a lower bound, because the client spins its event loop',
  floorNote: 'the search with raw TCP',
  busyRoles: () => ['client', 'server'],
  ignores: () => ['samples'],
};
