import {availableParallelism} from 'node:os';
import {readOpenFilesLimit} from '../files/open-files.js';
import {roundRobin} from '../hosts/host.js';
import {highest} from '../stats/numbers.js';

/**
 * @import {Hosts} from '../hosts/index.js'
 * @import {Cell} from './cell.js'
 */

/** A child process has a pipe for each of its standard streams. */
export const pipesPerRole = 3;
/** Other files that a process has open: standard streams, epoll, wake-up pipes, the journal. */
export const otherOpenFiles = 40;
/** The resident memory of a role: up to 140 MiB in the soak of the torture. */
const bytesPerRole = 160 * 1024 ** 2;
/** The share of a host's memory that roles may take together. */
const shareOfMemory = 0.5;

/**
 * How many pairs of processes may live side by side, by the memory of their hosts and the files that this process may have open.
 *
 * @param {Pick<Hosts, 'clients' | 'servers'>} hosts
 * @param {readonly Pick<Cell, 'variant'>[]} cells
 * @param {{openFiles?: number | null, availableBytes?: number}} [here] of this host
 * @returns {number} at least 1
 */
export function pairsAtOnce(
  hosts,
  cells,
  {openFiles = readOpenFilesLimit(), availableBytes = process.availableMemory()} = {},
) {
  const clients = highest(cells.map(({variant}) => variant.clients ?? 1));
  const servers = highest(cells.map(({variant}) => variant.servers ?? 1));
  const places = [
    ...Array.from({length: clients}, (_, index) => roundRobin(hosts.clients, index)),
    ...Array.from({length: servers}, (_, index) => roundRobin(hosts.servers, index)),
  ];
  const fits = [...new Set(places)].flatMap((host) => {
    const roles = places.filter((place) => place === host).length;
    const bytes = host.isRemote ? (host.report?.fingerprint.memoryBytes ?? null) : availableBytes;
    const byMemory = bytes === null ? [] : [(bytes * shareOfMemory) / (roles * bytesPerRole)];
    const files =
      host.isRemote || openFiles === null ? [] : [(openFiles - otherOpenFiles) / (roles * pipesPerRole)];
    return [...byMemory, ...files];
  });
  return Math.max(1, Math.floor(Math.min(...fits)));
}

/**
 * How many pairs may warm up side by side. One with a request in flight keeps about one core busy, in turn at its two ends; each further client and server
 * may keep another.
 *
 * @param {Pick<Hosts, 'all'>} hosts
 * @param {readonly Pick<Cell, 'variant'>[]} cells
 * @returns {number} at least 1
 */
export function warmUpsAtOnce({all}, cells) {
  const cores = all.map((host) =>
    host.isRemote ? (host.report?.fingerprint.cores ?? 1) : availableParallelism(),
  );
  const busy = highest(
    cells.map(({variant: {clients = 1, servers = 1}}) => Math.max(1, clients + servers - 1)),
  );
  return Math.max(1, Math.floor(Math.min(...cores) / busy));
}
