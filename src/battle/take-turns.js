/**
 * Whose turn it is: hosts take turns with the roles of a kind, and the nodes of a cluster with their connections.
 * @template One
 * @param {readonly One[]} list
 * @param {number} index from 0
 * @returns {One}
 */
export function turnOf(list, index) {
  return list[index % list.length];
}
