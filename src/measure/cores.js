import {readSystemFile} from './system-file.js';

/** The largest number of a core that a list may name: Linux supports 8192 of them (CONFIG_NR_CPUS of x86-64). */
const maxCore = 8191;

/**
 * Reads a list of cores as `taskset -c` and Linux's `Cpus_allowed_list` write it: `0`, `0,2`, `0-3`.
 *
 * @param {string} text
 * @returns {number[] | undefined} in ascending order, each once; undefined if the text is no such list
 */
export function parseCores(text) {
  /** @type {Set<number>} */
  const cores = new Set();
  for (const part of text.trim().split(',')) {
    const [, from, to = from] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part) ?? [];
    if (from === undefined || Number(to) < Number(from) || Number(to) > maxCore) return undefined;
    for (let core = Number(from); core <= Number(to); core += 1) cores.add(core);
  }
  return [...cores].toSorted((one, other) => one - other);
}

/**
 * @param {readonly number[]} cores in ascending order
 * @returns {string} that `parseCores` reads back: 0-3,6
 */
export function formatCores(cores) {
  /** @type {[number, number][]} */
  const ranges = [];
  for (const core of cores) {
    const last = ranges.at(-1);
    if (last && last[1] === core - 1) last[1] = core;
    else ranges.push([core, core]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/**
 * Reads `--pin`.
 *
 * @param {string} text
 * @returns {'auto' | 'main' | 'none' | {client: number[], server: number[], broker: number[] | null} | undefined} undefined if it is not allowed
 */
export function parsePin(text) {
  if (text === 'auto' || text === 'main' || text === 'none') return text;
  const lists = text.split('/').map(parseCores);
  const [client, server, broker = null] = lists;
  if (lists.length > 3 || lists.includes(undefined) || !client || !server) return undefined;
  return {client, server, broker};
}

/** @returns {number[]} those that this process may use; none where the system does not tell */
export function allowedCores() {
  const status = readSystemFile('/proc/self/status') ?? '';
  return parseCores(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '') ?? [];
}
