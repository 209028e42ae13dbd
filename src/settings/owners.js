import {onOff, orList} from '../options/types.js';
import {transports} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {ownsOption} from './index.js';

/**
 * @import {Option} from '../options/option.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Workload} from '../workloads/workload.js'
 */

const allWorkloads = Object.values(workloads);

/**
 * What declares an option: transports, by themselves or by their kind of broker, or workloads.
 * @param {Option} option
 * @returns {(Transport | Workload)[]} empty: it belongs to all
 */
export function ownersOf(option) {
  return [...transportsWith(option), ...workloadsWith(option)];
}

/**
 * The names of what declares an option.
 * @param {Option} option
 * @returns {string} such as: the transport http or websocket
 */
export function ownersText(option) {
  const ofTransports = transportsWith(option);
  const owners = ofTransports.length > 0 ? ofTransports : workloadsWith(option);
  return `the ${ofTransports.length > 0 ? 'transport' : 'workload'} ${orList(owners.map(({name}) => name))}`;
}

/** Whether only some workloads take an option. @param {Option} option */
function isOfSomeWorkloads(option) {
  const {length} = workloadsWith(option);
  return length > 0 && length < allWorkloads.length;
}

/** @param {Option} option */
function transportsWith(option) {
  return transports.filter((transport) => ownsOption(transport, option));
}

/** @param {Option} option */
function workloadsWith(option) {
  return allWorkloads.filter(({options}) => options.includes(option));
}

/**
 * What an option is for, the workloads that take it, and its choices. A plain switch needs no choices.
 * @param {Option} option
 * @returns {string} sentences
 */
export function meaningOf(option) {
  const {help, type, list} = option;
  const owners = isOfSomeWorkloads(option) ? [`For ${ownersText(option)}.`] : [];
  const hasChoices = type.choices !== undefined && (type !== onOff || list);
  const choices = hasChoices ? [`${list ? 'Any' : 'One'} of: ${type.choices?.join(', ')}.`] : [];
  return [help, ...owners, ...choices].join(' ');
}
