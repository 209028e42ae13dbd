import {contractVersion} from './contract.js';

/**
 * @import {RoleSettings} from '../protocol.js'
 * @import {Programs} from '../transports/external.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {ServerOptions} from './contract.js'
 */

/** @typedef {RoleSettings & {queue?: string, deliveryMode?: number}} SharedSettings */

/**
 * The programs that a role's settings name.
 * @param {object} settings
 * @param {Transport} transport that runs programs
 * @returns {Programs}
 */
export function programsIn(settings, {impliedBy = ''}) {
  return /** @type {Record<string, Programs>} */ (settings)[impliedBy];
}

/**
 * The options that both programs get: only what the contract names.
 * @param {SharedSettings} settings
 * @returns {Omit<ServerOptions, 'listenAddress' | 'serverPort'>}
 */
export function sharedOptions({queue, deliveryMode, broker = null, ...settings}) {
  const {workload, payloadBytes, seed, timeoutMs, noDelay} = settings;
  const shared = {contract: contractVersion, workload, payloadBytes, seed, timeoutMs, noDelay};
  if (broker === null) return {...shared, broker};
  return {...shared, broker: {...broker}, queue, deliveryMode};
}
