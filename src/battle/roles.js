import {existsSync} from 'node:fs';
import {RunError} from '../errors.js';
import {TimeLimitError, within} from '../measure/bounds.js';

/**
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {LineName, Lines, RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 * @import {Roles} from './types.js'
 */

/** @param {Roles} roles @returns {RoleProcess[]} the servers first */
export function allOf({servers, clients}) {
  return [...servers, ...clients];
}

/**
 * Returns the program of a role and its arguments. Folders of other perf-battle versions have a script for each transport and role.
 * @param {URL} source the folder src
 * @param {Pick<Transport, 'name' | 'module'>} transport @param {RoleName} role
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

/** The default time limit for an answer of a role that needs no measurement: its clock, a mark, a count, its result. */
const answerWithinMs = 20_000;

/** @typedef {{what: string, ms?: number, signal: AbortSignal}} Awaited what: the awaited action, worded to follow "did not"; ms: its time limit */

/**
 * @template {LineName} Role
 * @template {Lines[Role]['event']} Wanted
 * @param {RoleProcess<Role>} role @param {(event: Lines[Role]['event']) => event is Wanted} wanted
 * @param {Awaited} awaited @returns {Promise<Wanted>}
 * @throws {RunError} PB_TRIAL_TIMEOUT, or the error that the role reported
 */
export async function answerOf(role, wanted, {what, ms = answerWithinMs, signal}) {
  role.awaited = what;
  try {
    const answer = await within(ms, signal, (soon) => role.waitFor(wanted, soon));
    role.awaited = null;
    return answer;
  } catch (error) {
    if (!(error instanceof TimeLimitError) || signal.aborted) throw error;
    throw lateAnswer(role, ms);
  }
}

/**
 * @template {LineName} Role
 * @template {Lines[Role]['event']} Wanted
 * @param {readonly RoleProcess<Role>[]} roles
 * @param {(event: Lines[Role]['event']) => event is Wanted} wanted @param {Awaited} awaited
 * @returns {Promise<Wanted[]>}
 * @throws {RunError} as `answerOf`
 */
export function answersOf(roles, wanted, awaited) {
  return Promise.all(roles.map((role) => answerOf(role, wanted, awaited)));
}

/**
 * Makes the error of a trial that took too long. The error names the role that the trial waited for, and the awaited action.
 * @param {readonly RoleProcess<any>[]} roles of the trial
 * @param {number} ms the time limit of the trial
 * @returns {RunError} PB_TRIAL_TIMEOUT
 */
export function lateTrial(roles, ms) {
  const late = roles.find(({awaited}) => awaited !== null);
  if (late) return lateAnswer(late, ms);
  return timeout(`The trial did not end within ${inSeconds(ms)}, the time that its settings allow.`);
}

/** @param {RoleProcess<any>} role @param {number} ms */
function lateAnswer({role, hostName, awaited}, ms) {
  const where = hostName === null ? '' : ` on ${hostName}`;
  return timeout(`The ${role}${where} did not ${awaited} within ${inSeconds(ms)}.`);
}

/** @param {string} message */
function timeout(message) {
  return new RunError(message, {code: 'PB_TRIAL_TIMEOUT'});
}

/** @param {number} ms */
function inSeconds(ms) {
  return `${Math.round(ms / 100) / 10} s`;
}
