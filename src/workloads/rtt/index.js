import {meanRoundTrips, meanTable, openLoopTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {onOff} from '../../options/types.js';
import {
  completeOpenLoop,
  defaultOpenWindow,
  isOpenLoop,
  offeredRate,
  openLoopDimensions,
} from '../open-loop/index.js';
import {
  arrivals,
  clients,
  contentGroup,
  everyRole,
  rate,
  reply,
  retries,
  servers,
  spinningClient,
  verify,
  window,
} from '../shared-options.js';
import {role} from './role.js';

/** @import {OwnSettings, Workload} from '../workload.js' */

const roundTrips = meanTable('rtt', {
  what: 'Mean round-trip times',
  figure: 'mean round trip',
  results: meanRoundTrips,
});
const openLoop = openLoopTable('rtt');

const anatomy = option('anatomy', {
  type: onOff,
  default: false,
  list: true,
  label: (value) => (value ? 'latency breakdown' : null),
  implied: false,
  help: 'Show what the mean consists of: the way to the server, its handler, and the way back. With a broker, also the share of the broker, which needs root and tcpdump on its host. The server reads the clock twice for each request.',
  needs: 'the workload rtt, and no --rate',
  group: contentGroup,
});

const options = [window, clients, servers, rate, arrivals, reply, verify, retries, anatomy];

/** @typedef {OwnSettings<typeof options> & {window: number}} RttSettings */

/** One request in flight; with a rate, requests at fixed times. @satisfies {Workload<RttSettings>} */
export const rtt = {
  name: /** @type {const} */ ('rtt'),
  ...role,
  summary: 'one request in flight at a time',
  openLoopSummary: 'requests at fixed times, whether or not replies come back',
  options,
  figure: 'latency',
  figureNote: 'mean round-trip time; at a fixed rate the response time',
  // An open loop may overload a pair, and leave connections and full buffers behind.
  sharesPair: (variant) => !isOpenLoop(variant),
  // The breakdown of a round trip uses sums over all messages.
  isSliced: (variant) => !isOpenLoop(variant) && !variant.anatomy,
  supportsExternal: (variant) => !isOpenLoop(variant) && !variant.anatomy,
  dimensions: () => ({
    ...openLoopDimensions,
    window: [defaultOpenWindow],
    answer: ['echo'],
    anatomy: [false],
  }),
  table: (record) => (record.openLoop ? openLoop : roundTrips),
  hasBreakdown: ({anatomy: isAsked}) => Boolean(isAsked),
  complete: (variant) => {
    const {window, anatomy: hasBreakdown, ...rest} = completeOpenLoop(variant);
    return isOpenLoop(rest) ? {...rest, window} : {...rest, anatomy: hasBreakdown};
  },
  offeredRate,
  cpu: (variant) => (isOpenLoop(variant) ? spinningClient : everyRole),
  cpuNote: 'all roles; at a fixed rate a lower bound, because the client spins its event loop to be on time',
  floorNote: 'the same round trips, or the same rate, over raw TCP',
  busyRoles,
  // An open loop never resends. With one request at a time, every reply is compared completely.
  ignores: (variant) => (isOpenLoop(variant) ? ['retries', 'anatomy'] : ['verify']),
  keepsWindowFull: true,
};

/**
 * The generator of an open loop spins its event loop to be on time. Several requests in flight keep the server busy, too.
 * @param {RttSettings} variant @returns {readonly ('client' | 'server')[]}
 */
function busyRoles(variant) {
  if (!isOpenLoop(variant)) return [];
  return variant.window > 1 ? ['client', 'server'] : ['client'];
}
