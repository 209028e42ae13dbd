import {setMaxListeners} from 'node:events';

/** @import {RoleProcess} from '../hosts/role-process.js' */

/**
 * The processes of a trial, and how several of them are waited for.
 *
 * @typedef {{servers: RoleProcess[], clients: RoleProcess[]}} Roles
 */

/** For any number of roles to wait on. @param {AbortSignal[]} signals */
export function anyOf(...signals) {
  const any = AbortSignal.any(signals);
  setMaxListeners(0, any);
  return any;
}

/**
 * @template Result
 * @param {RoleProcess[]} roles
 * @param {(role: RoleProcess) => Promise<Result>} ask
 */
export function eachOf(roles, ask) {
  return Promise.all(roles.map(ask));
}

/** @param {string} name */
export function named(name) {
  return (/** @type {{event: string}} */ event) => event.event === name;
}

/** @param {string} phase */
export function inPhase(phase) {
  return (/** @type {{event: string, phase?: string}} */ event) =>
    event.event === 'progress' && event.phase === phase;
}
