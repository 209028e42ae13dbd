import {formatCores} from '../measure/cores.js';

/**
 * @import {Runtime} from '../packages/runtimes.js'
 * @import {LineName} from '../messages.js'
 * @import {Fingerprint} from '../results/fingerprint.js'
 * @import {RoleProcess} from './role-process.js'
 * @import {ChildProcessWithoutNullStreams} from 'node:child_process'
 */

/**
 * Where a role runs.
 *
 * @typedef {object} Host
 * @property {string} name for messages
 * @property {boolean} isRemote
 * @property {string | null} listenAddress the address that its servers bind to
 * @property {(bound: string | null) => string | null} addressFor translates a server's bound address to the one that clients connect to
 * @property {string | null} brokerAddress under which other hosts reach a private broker of this host; null: only this host reaches it
 * @property {<Role extends LineName>(script: URL, role: Role, settings: ProcessSettings) => Promise<RoleProcess<Role>>} start rejects when the
 *   host is not available
 * @property {(script: string) => Promise<string>} runShell runs a shell script to its end, and resolves with what it printed on standard output
 * @property {(script: URL, cores: number[] | null, words?: readonly string[], how?: {hasOwnMounts: boolean}) => Promise<ChildProcessWithoutNullStreams>} startSupervisor
 *   starts a script that outlives an interrupt, with its pipes; cores: that it and all that it starts may use; null: any; words: that follow the script;
 *   hasOwnMounts: what it mounts is unmounted with its end, and seen by no other program
 * @property {(address: string) => void} [setServerAddress] sets the address under which the other hosts reach its servers
 * @property {HostReport | null} report null on this host
 * @property {() => Promise<void>} close
 *
 * @typedef {object} ProcessSettings
 * @property {readonly string[]} [words] that follow the script on the command line
 * @property {number[] | null} cores that the process may use; null: any
 * @property {boolean} keepMemory whether it keeps the memory that it has freed
 * @property {string | null} [setpriv] the path of `setpriv`, by which the kernel ends it with this process: one that is stopped hears nothing. Default null: it
 *   ends by itself
 * @property {Runtime | null} [runtime] that runs it, on this host; null: the Node.js of this process
 *
 * @typedef {object} HostReport the properties that a host reports
 * @property {Fingerprint} fingerprint
 * @property {string[]} addresses of its network interfaces
 */

/**
 * The words before a command that let its process, and all that it starts, use these cores only. taskset replaces itself by the command, so the
 * process keeps its pid.
 * @param {readonly number[] | null} cores null: any
 * @returns {string[]}
 */
export function pinnedTo(cores) {
  return cores ? ['taskset', '-c', formatCores(cores)] : [];
}

/** The words before a command whose mounts are its own. */
export const apart = ['unshare', '--mount', '--propagation', 'private', '--'];

/** The script that prints a HostReport. */
export const reportScript = new URL('../results/host-report.js', import.meta.url);

/**
 * @param {string} host the name or address under which other hosts reach it
 * @param {readonly string[]} own addresses of its network interfaces
 * @returns {string} the address to bind to: the given one when it is the host's own; otherwise all addresses, because it is translated on
 *   the way
 */
export function listenAddressFor(host, own) {
  if (own.includes(host)) return host;
  return host.includes(':') ? '::' : '0.0.0.0';
}

/**
 * Round-robin: roles over the hosts of their kind, and their connections over the nodes of a cluster.
 * @template One
 * @param {readonly One[]} list
 * @param {number} index from 0
 * @returns {One}
 */
export function roundRobin(list, index) {
  return list[index % list.length];
}

/** The control channel carries the configuration, so that no variable of the user applies twice. @param {NodeJS.ProcessEnv} environment */
export function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}

/**
 * How a role keeps the memory that it has freed, in place of the defaults of its system.
 *
 * The allocator of glibc returns memory to the kernel where it can, and whether it can depends on how the heap of that process happens to lie.
 * Then every large message makes the kernel map and clear its pages again: with 500 KB over WebSockets, about 80 page faults of the server per
 * message, and 1.5 times the round-trip time.
 *
 * V8 collects all garbage when the buffers that survived a few messages are as large as a part of the live objects. A role has 8 MB of these,
 * so at 1000 KB that was every seven to nine messages, and Express took 2.4 ms. With 20 or 70 MB of other live objects in the process, it took
 * 0.75 to 0.77 ms.
 */

/** For the environment: up to 128 MiB are kept (mallopt(3); other allocators ignore it). @satisfies {Record<string, string>} */
export const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024 * 1024),
  // The largest that glibc accepts. Blocks above it are mapped one by one.
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
};

/**
 * For `node`: garbage may grow to nine times the live objects, so to some 80 MB. V8's own rule allows about as much in a process with 20 MB of live
 * objects: its factor is at most four (kMaxGrowingFactor).
 */
export const keptGarbage = ['--heap-growing-percent=900'];
