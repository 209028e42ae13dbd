import {formatRateMean} from '../../columns/figures.js';
import {openLoopTable, rateTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {onOff} from '../../options/types.js';
import {completeOpenLoop, isOpenLoop, offeredRate, openLoopDimensions} from '../open-loop/index.js';
import {
  arrivals,
  clients,
  contentGroup,
  everyRole,
  rate,
  servers,
  spinningClient,
  verify,
  window,
} from '../shared-options.js';
import {role} from './role.js';

/**
 * @import {Column} from '../../columns/column.js'
 * @import {OwnSettings, Workload} from '../workload.js'
 * @import {SenderPhases} from './client.js'
 */

const sender = /** @satisfies {keyof SenderPhases} */ ('sender');

/** The rate by the sender's clock, up to the reply to its closing call. @type {Column} */
const senderRate = {
  heading: 'by the sender',
  priority: 2,
  cell: ({phases}) => (sender in phases ? formatRateMean(phases[sender]) : 'n/a'),
  isShown: (records) => records.some(({phases}) => sender in phases),
};

const rates = rateTable('stream', {senderColumns: [senderRate], hasLatency: false});
const openLoop = openLoopTable('stream');

/** Maximum number of unconfirmed messages; for HTTP, of connections. */
const defaultWindow = 64;

const options = [
  window,
  clients,
  servers,
  rate,
  arrivals,
  verify,
  option('closing-call', {
    key: 'closingCall',
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'closing call' : 'no closing call'),
    help: 'After the last message, send one request and wait for its reply; the client also measures the time until this reply.',
    group: contentGroup,
  }),
];

/** @typedef {OwnSettings<typeof options>} StreamSettings */

/** Sends as fast as possible, over a transport without publisher confirms. */
export const plainTransfer = /** @type {const} */ ({
  rate: null,
  arrivals: 'constant',
  closingCall: false,
  window: 64,
});

/**
 * One-way messages: the client sends as fast as back-pressure allows, or at a rate. The receiver counts and times them.
 * @satisfies {Workload<StreamSettings>}
 */
export const stream = {
  name: /** @type {const} */ ('stream'),
  ...role,
  summary: 'one way, counted and timed by the receiver',
  options,
  figure: 'rate',
  figureNote: 'messages per second, by the receiver; at a fixed rate the response time',
  hasReplies: ({closingCall}) => closingCall,
  latenciesWith: {flag: '--rate', has: isOpenLoop},
  // One pair measures one size. A message still in flight would count as a message of the next size.
  sharesPair: () => false,
  table: (record) => (record.openLoop ? openLoop : rates),
  dimensions: (transport, variant) => {
    const defaults = {...openLoopDimensions, closingCall: [false]};
    return transport.boundsSends?.(variant) ? {...defaults, window: [defaultWindow]} : defaults;
  },
  supportsExternal: (variant) => !isOpenLoop(variant),
  complete: completeOpenLoop,
  offeredRate,
  cpu: (variant) => (isOpenLoop(variant) ? spinningClient : everyRole),
  cpuNote: 'all roles; at a fixed rate a lower bound, because the client spins its event loop to be on time',
  floorNote: 'the same messages one way over raw TCP',
  busyRoles: () => ['client', 'server'],
};
