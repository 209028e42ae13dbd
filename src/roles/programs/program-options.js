import {contractVersion, notAllowed} from './contract.js';

/**
 * @import {RunError} from '../../errors.js'
 * @import {RoleName, RoleSettings} from '../../messages.js'
 * @import {Programs} from '../../transports/external/index.js'
 * @import {Transport} from '../../transports/transport.js'
 * @import {ServerOptions} from './contract.js'
 */

/** @typedef {RoleSettings & {brokerPrefix?: string, deliveryMode?: number, programsIn?: string, only?: RoleName,
 *   rows?: number | null, answer?: ServerOptions['reply'], verify?: number}} SharedSettings */

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
 * Where a side of a comparison starts the program of a role; undefined: in the current folder.
 * @param {{programsIn?: string, only?: RoleName}} settings @param {RoleName} role
 */
export function folderOf({programsIn: folder, only}, role) {
  return only === undefined || only === role ? folder : undefined;
}

/**
 * The options that both programs get: only what the contract names.
 * @param {SharedSettings} settings @returns {Omit<ServerOptions, 'listenAddress' | 'serverPort'>}
 */
export function sharedOptions({
  brokerPrefix,
  deliveryMode,
  broker = null,
  answer: reply = 'echo',
  verify = 1,
  rows,
  ...settings
}) {
  const {workload, payloadBytes, seed, timeoutMs, noDelay} = settings;
  const shared = {
    ...{contract: contractVersion, workload, payloadBytes, seed, reply, verify, timeoutMs, noDelay},
    ...(rows != null && {rows}),
  };
  if (broker === null) return {...shared, broker};
  const ofRabbitmq = deliveryMode !== undefined && {queue: brokerPrefix, deliveryMode};
  return {...shared, broker: {...broker}, prefix: brokerPrefix, ...ofRabbitmq};
}

/**
 * A program may be older than an option. Most options it can ignore, but then it would reply, or compare, with other bytes.
 * @param {{reply: ServerOptions['reply']}} options that it got
 * @param {{reply?: string | undefined}} ready @param {RoleName} role
 * @throws {RunError} PB_ADAPTER
 */
export function requireReply({reply}, ready, role) {
  if (reply !== 'echo' && ready.reply !== reply)
    throw notAllowed(
      `The program of the ${role} does not know --reply ${reply}: its ready event does not repeat it (perf-battle help adapter-contract).`,
    );
}
