/**
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {RoleProcess} from './role-process.js'
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 */

/**
 * Where a role runs.
 *
 * @typedef {object} Host
 * @property {string} name as messages call it
 * @property {boolean} isRemote
 * @property {string | null} listenAddress what its servers bind to
 * @property {(bound: string | null) => string | null} addressFor what clients elsewhere call the address that a server has bound
 * @property {string | null} brokerAddress under which a private broker of this host is reached from others; null: from this host alone
 * @property {(script: URL, role: 'client' | 'server') => Promise<RoleProcess>} start rejects when the host is gone
 * @property {(script: URL) => Promise<ChildProcessWithoutNullStreams>} startSupervisor starts a script that outlives an interrupt, with its pipes
 * @property {(address: string) => void} [reachAt] its servers are reached at this address
 * @property {HostReport | null} described
 * @property {() => Promise<void>} close
 *
 * @typedef {object} HostReport what a host says of itself
 * @property {Fingerprint} fingerprint
 * @property {string[]} addresses
 */

/** The script that prints a HostReport. */
export const reportScript = new URL('../results/host-report.js', import.meta.url);

/**
 * @param {string} host a name or an address that others reach it by
 * @param {readonly string[]} own addresses of the host
 * @returns {string} what to bind to: the very address, where it is one of the host's own; all of them where something between the hosts
 *   translates it
 */
export function bindingFor(host, own) {
  if (own.includes(host)) return host;
  return host.includes(':') ? '::' : '0.0.0.0';
}
