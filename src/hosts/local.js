import {execFile, spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {joinAddress, splitAddress} from '../transports/address.js';
import {pinnedTo} from './host.js';
import {keptMemory} from './kept-memory.js';
import {RoleProcess, underControl} from './role-process.js';

/**
 * @import {RoleName} from '../protocol.js'
 * @import {Host, ProcessSettings} from './host.js'
 */

const execute = promisify(execFile);

/**
 * This host: roles run as child processes and communicate over loopback, unless other hosts must reach them.
 * @implements {Host}
 */
export class LocalHost {
  name = 'this host';
  isRemote = false;
  report = null;

  /** @param {{address: string, listenAddress: string} | null} [reachable] how other hosts reach it */
  constructor(reachable = null) {
    this.reachable = reachable;
    this.listenAddress = reachable?.listenAddress ?? '127.0.0.1';
    this.brokerAddress = reachable?.address ?? null;
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    if (!this.reachable) return bound;
    return bound && joinAddress(this.reachable.address, splitAddress(bound).port);
  }

  /**
   * @template {RoleName} Role
   * @param {URL} script
   * @param {Role} role
   * @param {ProcessSettings} settings
   */
  async start(script, role, {cores, keepMemory}) {
    const [file, ...parameters] = [...pinnedTo(cores), process.execPath, fileURLToPath(script)];
    const child = spawn(file, parameters, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {...withoutOurVariables(process.env), ...(keepMemory && keptMemory), ...underControl},
    });
    return new RoleProcess(child, role);
  }

  /** Uses a separate process group, so that Ctrl-C in a terminal does not reach the supervisor. @param {URL} script @param {number[] | null} cores */
  async startSupervisor(script, cores) {
    const [file, ...parameters] = [...pinnedTo(cores), process.execPath, fileURLToPath(script)];
    return spawn(file, parameters, {
      detached: true,
      // Not the current folder, which may be unmounted later; and no variable that changes how Node.js runs.
      cwd: '/',
      env: {PATH: process.env.PATH ?? ''},
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** @param {string} script @returns {Promise<string>} its standard output; empty where there is no shell */
  async runShell(script) {
    return await execute('sh', ['-c', script]).then(
      ({stdout}) => stdout,
      ({stdout}) => stdout ?? '',
    );
  }

  async close() {}
}

/** The control line carries the configuration, so that no variable of the user applies twice. @param {NodeJS.ProcessEnv} environment */
function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
