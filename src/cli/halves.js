import {UsageError} from '../errors.js';
import {runRole} from '../roles/run-role.js';
import {isOwn} from '../transports/load.js';

/**
 * @import {RoleName} from '../messages.js'
 * @import {Transport} from '../transports/transport.js'
 */

/**
 * `perf-battle serve NAME`: the server of a transport by hand.
 * @param {readonly string[]} commandLine @returns {Promise<never>} ends this process
 */
export async function serve(commandLine) {
  return await runHalf('server', 'serve', commandLine);
}

/**
 * `perf-battle call NAME`: the client of a transport by hand.
 * @param {readonly string[]} commandLine @returns {Promise<never>} ends this process
 */
export async function call(commandLine) {
  return await runHalf('client', 'call', commandLine);
}

/** @param {RoleName} role @param {string} command @param {readonly string[]} commandLine @returns {Promise<never>} */
async function runHalf(role, command, [name, ...commandLine]) {
  if (name === undefined || name.startsWith('-')) {
    const {transportNames} = await import('../transports/index.js');
    throw new UsageError(
      `${command} must be followed by the name of a transport: ${transportNames.join(', ')}. See perf-battle ${command} --help.`,
    );
  }
  await runRole(role, name, {commandLine, ...(await loadOwn(name))});
  throw new Error('The process of a role ends itself.');
}

/** A transport that a person brings. @param {string} name @returns {Promise<{load?: () => Promise<Transport>}>} */
async function loadOwn(name) {
  if (isOwn(name)) return {};
  const {bringTransports} = await import('../settings/bring-transports.js');
  const [guest] = await bringTransports([name]);
  return guest === undefined ? {} : {load: async () => guest};
}
