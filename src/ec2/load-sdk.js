import {requireOptional} from '../packages/load.js';

/** @import {UnavailableError} from '../errors.js' */

/**
 * Loads a client of AWS's SDK, which is no dependency of perf-battle.
 * @template Client
 * @param {string} name of the package
 * @returns {Client}
 * @throws {UnavailableError} when it is not installed
 */
export function loadSdk(name) {
  // The SDK's warning about the version of Node.js concerns the maintainers of perf-battle, not its users.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return requireOptional(name, {by: 'perf-battle ec2', install: 'ec2'});
}
