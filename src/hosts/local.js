import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {joinAddress, splitAddress} from '../transports/address.js';
import {RoleProcess} from './role-process.js';

/** @import {Host} from './host.js' */

/**
 * This host: roles run as its processes and meet on loopback, unless there are others that must reach them.
 * @implements {Host}
 */
export class LocalHost {
  name = 'this host';
  isRemote = false;
  described = null;

  /** @param {{address: string, listenAddress: string} | null} [reachable] by other hosts */
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

  /** @param {URL} script @param {'client' | 'server'} role */
  async start(script, role) {
    const child = spawn(process.execPath, [fileURLToPath(script)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {...withoutOurVariables(process.env), PB_STDIN: 'control', PB_OUTPUT: 'ndjson'},
    });
    return new RoleProcess(child, role);
  }

  /** In a process group of its own, so that a terminal's Ctrl-C does not reach it. @param {URL} script */
  async startSupervisor(script) {
    return spawn(process.execPath, [fileURLToPath(script)], {
      detached: true,
      // Not the folder we are in, which may be unmounted meanwhile; and no variable that changes how Node.js runs.
      cwd: '/',
      env: {PATH: process.env.PATH ?? ''},
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  async close() {}
}

/** The configuration goes over the control line alone, so that no variable of the person's is applied twice. @param {NodeJS.ProcessEnv} environment */
function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}
