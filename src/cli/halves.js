import {UsageError} from '../errors.js';
import {runRole} from '../roles/run-role.js';
import {isOwn} from '../transports/load.js';

/**
 * @import {RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * `perf-battle serve NAME`: runs the server of a transport by hand.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<never>} ends this process
 */
export async function serve(commandLine, signal) {
  return await runHalf('server', {command: 'serve', commandLine, signal});
}

/**
 * `perf-battle call NAME`: runs the client of a transport by hand.
 * @param {readonly string[]} commandLine @param {AbortSignal} signal @returns {Promise<never>} ends this process
 */
export async function call(commandLine, signal) {
  return await runHalf('client', {command: 'call', commandLine, signal});
}

/** @param {RoleName} role @param {{command: string, commandLine: readonly string[], signal: AbortSignal}} how @returns {Promise<never>} */
async function runHalf(role, {command, commandLine: [asked, ...commandLine], signal}) {
  if (asked === undefined || asked.startsWith('-')) {
    const {transportNames} = await import('../transports/index.js');
    throw new UsageError(
      `${command} must be followed by the name of a transport: ${transportNames.join(', ')}. See perf-battle ${command} --help.`,
    );
  }
  const name = isOwn(asked) ? asked.toLowerCase() : asked;
  const own = await loadOwn(name);
  // The role listens for signals itself from here on, so a signal that came earlier is handled here.
  signal.throwIfAborted();
  await runRole(role, name, {commandLine, ...own});
  throw new Error('The process of a role ends itself.');
}

/** Loads a transport of the user. @param {string} name @returns {Promise<{load?: () => Promise<Transport>}>} */
async function loadOwn(name) {
  if (isOwn(name)) return {};
  const {bringTransports} = await import('../settings/bring-transports.js');
  const [guest] = await bringTransports([name]);
  return guest === undefined ? {} : {load: async () => guest};
}
