import {meanTable} from '../../columns/tables.js';
import {option} from '../../options/option.js';
import {integer} from '../../options/types.js';
import {everyRole, loadGroup} from '../shared-options.js';
import {role} from './role.js';

/** @import {OwnSettings, Workload} from '../workload.js' */

const options = [
  option('subscribers', {
    type: integer({minimum: 1, maximum: 1000}),
    list: true,
    label: (value) => (value === 1 ? '1 subscriber' : `${value} subscribers`),
    help: 'How many subscribers get each message, each over its own connection; by default 1, 10 and 100.',
    helpFor: {faults: 'How many subscribers get each message, each over its own connection. By default 10.'},
    group: loadGroup,
  }),
];

/** @typedef {OwnSettings<typeof options> & {subscribers: number}} FanOutSettings */

const means = meanTable('fan-out', {
  what: 'Mean times until the last subscriber has a message',
  figure: 'until the last subscriber has it',
});

/**
 * One publisher and several subscribers. The next message is published when all subscribers have the previous one.
 * @satisfies {Workload<FanOutSettings>}
 */
export const fanOut = {
  name: /** @type {const} */ ('fan-out'),
  ...role,
  summary: 'one publisher and several subscribers, until the last subscriber has the message',
  options,
  figure: 'latency',
  figureNote: 'mean time from publishing a message until the last subscriber has it',
  table: () => means,
  dimensions: () => ({subscribers: [1, 10, 100]}),
  // One process is the publisher and all subscribers, and one server sends to all of them.
  complete: (variant) => ({...variant, clients: 1, servers: 1}),
  cpu: () => everyRole,
  cpuNote: 'all roles, for a message to all its subscribers',
  floorNote: 'the same number of subscribers over raw TCP; the server sends each message to each of them',
  // The client and the server, or the client alone, handle a message once for each subscriber.
  busyRoles: ({subscribers}) => (subscribers > 1 ? ['client', 'server'] : []),
  sharesPair: () => true,
  isSliced: () => true,
  byHand: {subscribers: [10]},
};
