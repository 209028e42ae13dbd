import {parseCores} from '../measure/cores.js';

/** @import {Host} from './host.js' */

/**
 * The cores that processes of a battle may use on a host.
 *
 * @typedef {object} Topology
 * @property {Core[]} cores at least one, in ascending order
 * @property {string | null} machine what differs between machines, and is the same in all containers of one: the id of its boot
 * @property {boolean} canPin whether `taskset` of util-linux is there and allowed
 *
 * @typedef {object} Core
 * @property {number} number
 * @property {number} package the socket that it is in
 * @property {readonly number[]} siblings the hardware threads of its physical core, itself included
 */

const script = `
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
  return topologyFrom(await host.runShell(script));
}

/**
 * @param {string} output of the script
 * @returns {Topology | null}
 */
export function topologyFrom(output) {
  const lines = output.split('\n').map((line) => line.trim().split(' '));
  const allowed = parseCores(lines.find(([word]) => word === 'allowed')?.[1] ?? '');
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
