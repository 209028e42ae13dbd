import {execFile, spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {loopbackAddress} from '../measure/network.js';
import {joinAddress, splitAddress} from '../net/address.js';
import {packagesFolder, packagesVariable} from '../packages/load.js';
import {pinnedTo} from './host.js';
import {RoleProcess} from './role-process.js';
import {spawnRole} from './spawn-role.js';

/**
 * @import {LineName} from '../protocol.js'
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

  /**
   * @param {{address: string, listenAddress: string} | null} [reachable] how other hosts reach it
   * @param {readonly string[]} [into] the words before the command of each process, such as those that let it run in a network namespace
   */
  constructor(reachable = null, into = []) {
    this.reachable = reachable;
    this.into = into;
    this.listenAddress = reachable?.listenAddress ?? loopbackAddress();
    this.brokerAddress = reachable?.address ?? null;
  }

  /** @param {string | null} bound */
  addressFor(bound) {
    if (!this.reachable) return bound;
    return bound && joinAddress(this.reachable.address, splitAddress(bound).port);
  }

  /**
   * @template {LineName} Role
   * @param {URL} script
   * @param {Role} role
   * @param {ProcessSettings} settings
   */
  async start(script, role, settings) {
    return new RoleProcess(spawnRole(script, settings, this.into), role);
  }

  /**
   * Uses a separate process group, so that Ctrl-C in a terminal does not reach the supervisor.
   * @param {URL} script
   * @param {number[] | null} cores
   * @param {readonly string[]} [words]
   * @param {{hasOwnMounts: boolean}} [how]
   */
  async startSupervisor(script, cores, words = [], {hasOwnMounts} = {hasOwnMounts: false}) {
    const apart = hasOwnMounts ? ['unshare', '--mount', '--propagation', 'private', '--'] : [];
    const node = [process.execPath, fileURLToPath(script), ...words];
    const [file, ...parameters] = [...pinnedTo(cores), ...this.into, ...apart, ...node];
    return spawn(file, parameters, {
      detached: true,
      // Not the current folder, which may be unmounted later; and no variable that changes how Node.js runs.
      cwd: '/',
      env: {PATH: process.env.PATH ?? '', [packagesVariable]: packagesFolder()},
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
