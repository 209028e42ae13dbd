import {rateTable} from '../../columns/tables.js';
import {isEmpty} from '../../measure/warm-up.js';
import {clients, everyRole, reply, retries, servers, verify, window} from '../shared-options.js';
import {role} from './role.js';

/** @import {OwnSettings, Workload} from '../workload.js' */

const options = [window, clients, servers, reply, verify, retries];

/** @typedef {OwnSettings<typeof options> & {window: number}} PipelineSettings */
const rates = rateTable('pipeline', {hasLatency: true});

/**
 * Up to a window of requests in flight: a synchronous echo with a window of one, an asynchronous echo with larger ones.
 * @satisfies {Workload<PipelineSettings>}
 */
export const pipeline = {
  name: /** @type {const} */ ('pipeline'),
  ...role,
  summary: 'up to --window requests in flight',
  options,
  figure: 'rate',
  figureNote: 'messages per second',
  messageMs: ({emptyMs, bytesMs}, {window}) => (window === 1 ? emptyMs + bytesMs : (emptyMs + bytesMs) / 2),
  sharesPair: () => true,
  // A slice with requests in flight is longer than a round trip, of which the warm-up has the time.
  isSliced: ({window}, {samples, warmUp}) => samples === null && (window === 1 || !isEmpty(warmUp)),
  supportsExternal: () => true,
  table: () => rates,
  dimensions: () => ({window: [1, 16, 256], answer: ['echo']}),
  cpu: () => everyRole,
  cpuNote: 'all roles',
  floorNote: 'the same window over raw TCP',
  busyRoles: () => ['client', 'server'],
  keepsWindowFull: true,
};
