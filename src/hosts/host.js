import {formatCores} from '../measure/cores.js';

/** @import {HostReport} from './types.js' */

/**
 * Returns a command prefix that pins a process and its children to cores. taskset replaces itself by the command, so the process keeps its pid.
 * @param {readonly number[] | null} cores null for any core
 */
export function pinnedTo(cores) {
  return cores ? ['taskset', '-c', formatCores(cores)] : [];
}

/** A command prefix that gives a process a private mount namespace. */
export const apart = ['unshare', '--mount', '--propagation', 'private', '--'];

/**
 * The group is in the background of its terminal: if the command asks a question there, these signals would stop it. The variable keeps Perl from warnings
 * about the user's locale.
 */
const groupProgram =
  '$SIG{TTIN} = $SIG{TTOU} = "IGNORE"; delete $ENV{PERL_BADLANG}; setpgrp(0, 0); exec {$ARGV[0]} @ARGV; print STDERR "$ARGV[0]: $!\\n"; exit 127';
const groupScript = `[ ! -x /usr/bin/perl ] || PERL_BADLANG=0 exec /usr/bin/perl -e '${groupProgram}' -- "$@"
exec /usr/bin/setsid "$@"`;

/**
 * A command prefix that gives a command a process group of its own, in the session of the roles if Perl is there: setsid makes a session, too.
 * From another session, Linux lets a process wait for what keeps its core awake (keep-awake.js), for up to 4 ms.
 */
export const inOwnGroup = ['/bin/sh', '-c', groupScript, 'sh'];

/** The script that prints a HostReport. */
export const reportScript = new URL('../results/host-report.js', import.meta.url);

/**
 * @param {string} host the name or address under which other hosts reach the host
 * @param {readonly string[]} own addresses of its network interfaces
 * @returns {string} the address to bind to: `host` if an interface has it; otherwise the address of all interfaces, because `host` is translated
 */
export function listenAddressFor(host, own) {
  if (own.includes(host)) return host;
  return host.includes(':') ? '::' : '0.0.0.0';
}

/**
 * Distributes roles over the hosts of their kind, and their connections over the nodes of a cluster.
 * @template One @param {readonly One[]} list
 * @param {number} index from 0
 */
export function roundRobin(list, index) {
  return list[index % list.length];
}

/** The control channel carries the configuration, so a user's variable must not apply a second time. @param {NodeJS.ProcessEnv} environment */
export function withoutOurVariables(environment) {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PB_')));
}

/**
 * The two constants below make a role keep freed memory.
 *
 * By default, the allocator of glibc returns memory to the kernel if the layout of the heap allows it, which differs from process to process. The kernel
 * then maps and clears the pages again for every large message. With 500 KB over WebSocket, the server had about 80 page faults per message, and the
 * round-trip time was 1.5 times as long.
 *
 * V8 collects all garbage when the buffers that survived a few messages reach a certain share of the live objects. A role has 8 MB of live objects.
 * V8 therefore collected every seven to nine messages of 1000 KB, and Express took 2.4 ms. With 20 or 70 MB of other live objects, Express took 0.75 to
 * 0.77 ms.
 */

/** Environment variables that keep up to 128 MiB (mallopt(3)). Other allocators ignore them. @satisfies {Record<string, string>} */
export const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(128 * 1024 * 1024),
  // The maximum of glibc. Larger blocks are mapped one by one.
  MALLOC_MMAP_THRESHOLD_: String(32 * 1024 * 1024),
};

/**
 * An option of `node` that allows garbage of nine times the live objects, about 80 MB. V8's default allows about the same in a process with 20 MB of live
 * objects, because its factor is at most four (kMaxGrowingFactor).
 */
export const keptGarbage = ['--heap-growing-percent=900'];
