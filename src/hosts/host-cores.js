import {parseCores} from '../measure/cores.js';

/** @import {ForeignLoad, Host, Topology} from './types.js' */

const topologyScript = `
while read -r name value; do
  [ "$name" = Cpus_allowed_list: ] && allowed=$value
done < /proc/self/status
echo "allowed $allowed"
read -r boot < /proc/sys/kernel/random/boot_id && echo "machine $boot"
taskset -c "$allowed" true 2>/dev/null && echo taskset
for topology in /sys/devices/system/cpu/cpu[0-9]*/topology; do
  read -r package < "$topology/physical_package_id" && read -r siblings < "$topology/thread_siblings_list" &&
    echo "core $topology $package $siblings"
done 2>/dev/null
`;

/**
 * @param {Pick<Host, 'runShell'>} host
 * @returns {Promise<Topology | null>} null where the host does not tell, such as macOS
 * @throws when the connection to the host ends
 */
export async function readTopology(host) {
  return topologyFrom(await host.runShell(topologyScript));
}

/** @param {string} output of the script @returns {Topology | null} */
export function topologyFrom(output) {
  const {lines, allowed} = linesOf(output);
  if (!allowed) return null;
  const described = new Map(
    lines
      .filter(([word]) => word === 'core')
      .map(([, folder, socket, siblings]) => [
        Number(/cpu(\d+)\/topology$/.exec(folder)?.[1]),
        {package: Number(socket), siblings: parseCores(siblings ?? '')},
      ]),
  );
  const cores = allowed.map((number) => {
    const core = described.get(number);
    return {number, package: core?.package ?? 0, siblings: core?.siblings ?? [number]};
  });
  const machine = lines.find(([word]) => word === 'machine')?.[1] ?? null;
  return {cores, machine, canPin: lines.some(([word]) => word === 'taskset')};
}

/** Long enough for the ticks of /proc/stat: 50 of each core. */
const observedS = 0.5;

/** Prints the times of each core twice, and the cores that this process may use. It starts no program but `sleep`, which costs next to nothing. */
const loadScript = `
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
 * Observes a host for half a second. Call it before a battle starts anything there: all CPU time that it sees counts as used by others.
 * @param {Pick<Host, 'name' | 'runShell'>} host
 * @returns {Promise<ForeignLoad | null>} null where the host does not offer it
 * @throws when the connection to the host ends
 */
export async function readForeignLoad(host) {
  const load = foreignLoadFrom(await host.runShell(loadScript));
  return load && {host: host.name, ...load};
}

/** @param {string} output of the script @returns {Omit<ForeignLoad, 'host'> | null} */
export function foreignLoadFrom(output) {
  const {lines, allowed = []} = linesOf(output);
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

/** The words of each line, and the cores that the processes of a battle may use. @param {string} output of a script */
function linesOf(output) {
  const lines = output.split('\n').map((line) => line.trim().split(/\s+/));
  return {lines, allowed: parseCores(lines.find(([word]) => word === 'allowed')?.[1] ?? '')};
}
