import {setMaxListeners} from 'node:events';

/**
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {RoleName} from '../protocol.js'
 */

/**
 * The processes of a trial, and how several of them are waited for.
 *
 * @typedef {{servers: RoleProcess<'server'>[], clients: RoleProcess<'client'>[]}} Roles
 */

/** For any number of roles to wait on. @param {AbortSignal[]} signals */
export function anyOf(...signals) {
  const any = AbortSignal.any(signals);
  setMaxListeners(0, any);
  return any;
}

/**
 * @template {RoleName} Role
 * @template Result
 * @param {RoleProcess<Role>[]} roles
 * @param {(role: RoleProcess<Role>) => Promise<Result>} ask
 */
export function eachOf(roles, ask) {
  return Promise.all(roles.map(ask));
}
