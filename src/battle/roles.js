import {existsSync} from 'node:fs';

/**
 * @import {Runtime} from '../packages/runtimes.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {Broker} from '../brokers/kind.js'
 * @import {AwakeCores} from '../hosts/awake-cores.js'
 * @import {Hosts} from '../hosts/index.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {LineName, RoleName} from '../protocol.js'
 * @import {Cell} from './cell.js'
 * @import {GivenServer} from './given-server.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * The processes of a trial, and how several of them are waited for.
 *
 * @typedef {{servers: RoleProcess<'server'>[], clients: RoleProcess<'client'>[]}} Roles
 */

/**
 * What a pair of role processes needs, and in a trial the cell that it measures.
 *
 * @typedef {PairContext & {cell: Cell}} TrialContext
 *
 * @typedef {object} PairContext
 * @property {number} round from 1; arrivals and payloads differ from round to round
 * @property {Hosts} hosts
 * @property {Broker | null} broker null where the transport needs none
 * @property {GivenServer | null} [given] a server that a person named, in place of those of the battle
 * @property {BattleValues} values the battle's settings
 * @property {Record<string, string>} names on the broker, by the option's key
 * @property {ReadonlyMap<string, Runtime>} [runtimes] those that roles may run in, beside the Node.js of this process, by the value of --runtime
 * @property {string} [profilesIn] the folder for the profiles of a battle
 * @property {Pick<AwakeCores, 'isAwake' | 'pidOn'> | null} [awake] what keeps cores awake; null: they may sleep
 * @property {AbortSignal} signal
 */

/** @param {Roles} roles @returns {RoleProcess[]} the servers first */
export function allOf({servers, clients}) {
  return [...servers, ...clients];
}

/**
 * @template {LineName} Role
 * @template Result
 * @param {readonly RoleProcess<Role>[]} roles
 * @param {(role: RoleProcess<Role>) => Promise<Result>} ask
 */
export function eachOf(roles, ask) {
  return Promise.all(roles.map(ask));
}

/**
 * The program of a role, and the words that follow it. Folders of perf-battle of other versions have a script for each transport and role.
 * @param {URL} source the folder src
 * @param {Pick<Transport, 'name' | 'module'>} transport
 * @param {RoleName} role
 * @returns {{script: URL, words: string[]}}
 */
export function roleProgramIn(source, {name: transport, module}, role) {
  const name = `${transport}-${role}`;
  const program = new URL('roles/program.js', source);
  if (module) return {script: program, words: [name, module.url]};
  const isThere = [program, new URL(`transports/${transport}/index.js`, source)].every((file) =>
    existsSync(file),
  );
  return isThere ? {script: program, words: [name]} : {script: new URL(`${name}.js`, source), words: []};
}
