import {UnavailableError} from '../errors.js';
import {loadPackage} from '../transports/load-package.js';

/**
 * Loads a client of AWS's SDK, which is an optional dependency.
 * @template Client
 * @param {string} name of the package
 * @returns {Client}
 * @throws {UnavailableError} when it is not installed
 */
export function loadSdk(name) {
  try {
    // The SDK's warning about the version of Node.js concerns the maintainers of perf-battle, not its users.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    return loadPackage(name);
  } catch (error) {
    throw new UnavailableError(
      `The ec2 commands need ${name} of AWS's SDK, an optional dependency that is not installed. Install it with npm install ${name}.`,
      {code: 'PB_AWS', cause: error},
    );
  }
}
