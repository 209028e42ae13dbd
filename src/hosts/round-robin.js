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
