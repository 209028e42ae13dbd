import {parseCores} from '../measure/cores.js';

/** @import {Host} from './host.js' */

/** Long enough for the ticks of /proc/stat: 50 of each core. */
const observedS = 0.5;

/** Prints the times of each core twice, and the cores that this process may use. It starts no program but `sleep`, which costs next to nothing. */
const script = `
cores() {
  while read -r line; do
    case "$line" in cpu*) echo "$line" ;; *) break ;; esac
  done < /proc/stat
}
while read -r name value; do
  [ "$name" = Cpus_allowed_list: ] && echo "allowed $value"
done < /proc/self/status
cores && sleep ${observedS} && cores
`;

/**
 * How much of a host's CPU is in use before anything of a battle runs there.
 *
 * @typedef {object} ForeignLoad
 * @property {string} host its name
 * @property {number} cores that roles may use
 * @property {number} share of the capacity of these cores that was used by other processes, or taken by the hypervisor: 0 to 1
 * @property {number} stealShare the hypervisor's part of it
 */

/**
 * Observes a host for half a second. Call it before a battle starts anything there: all CPU time that it sees counts as used by others.
 *
 * @param {Pick<Host, 'name' | 'runShell'>} host
 * @returns {Promise<ForeignLoad | null>} null where the host does not offer it
 * @throws when the connection to the host ends
 */
export async function readForeignLoad(host) {
  const load = foreignLoadFrom(await host.runShell(script));
  return load && {host: host.name, ...load};
}

/**
 * @param {string} output of the script
 * @returns {Omit<ForeignLoad, 'host'> | null}
 */
export function foreignLoadFrom(output) {
  const lines = output.split('\n').map((line) => line.trim().split(/\s+/));
  const allowed = parseCores(lines.find(([word]) => word === 'allowed')?.[1] ?? '') ?? [];
  const cores = allowed.flatMap((core) => {
    const [before, after] = lines.filter(([word]) => word === `cpu${core}`).map((fields) => fields.slice(1));
    return before && after ? [after.map((ticks, index) => Number(ticks) - Number(before[index]))] : [];
  });
  // proc_stat(5): user, nice, system, idle, wait for a disk, interrupts, soft interrupts, steal. The time of guests is a part of user.
  const sumOf = (/** @type {readonly number[]} */ fields) =>
    cores.flatMap((ticks) => fields.map((field) => ticks[field] ?? 0)).reduce((sum, ticks) => sum + ticks, 0);
  const capacity = sumOf([0, 1, 2, 3, 4, 5, 6, 7]);
  if (!(capacity > 0)) return null;
  return {
    cores: cores.length,
    share: sumOf([0, 1, 2, 5, 6, 7]) / capacity,
    stealShare: sumOf([7]) / capacity,
  };
}
