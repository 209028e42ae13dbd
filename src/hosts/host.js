import {formatCores} from '../measure/cores.js';

/** @import {HostReport} from './types.js' */

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
