import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {RoleProcess} from './role-process.js';

/**
 * This host: roles run as its processes and meet on loopback.
 * @type {Host}
 */
export const localHost = {
  name: 'local',
  listenAddress: '127.0.0.1',
  start(script, role) {
    const child = spawn(process.execPath, [fileURLToPath(script)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {...withoutOurVariables(process.env), PB_STDIN: 'control', PB_OUTPUT: 'ndjson'},
    });
    return new RoleProcess(child, role);
  },
};

/**
 * Where a role runs.
 *
 * @typedef {object} Host
 * @property {string} name
 * @property {string} listenAddress what its servers bind to
 * @property {(script: URL, role: 'client' | 'server') => RoleProcess} start
 */

/** The configuration goes over the control line alone, so that no variable of the person's is applied twice. @param {NodeJS.ProcessEnv} environment */
function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
