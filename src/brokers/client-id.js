import {randomUUID} from 'node:crypto';

/** @import {PairNames} from './kind.js' */

/**
 * The part of its queues' names by which a client is the only one. A battle knows it too, and deletes what a client has left.
 * @param {ClientName} client
 *
 * @typedef {object} ClientName
 * @property {string} [pair] in a battle: the name of this pair of processes
 * @property {number} [client] in a battle: the number of this client in the pair
 */
export function clientIdOf({pair, client = 0}) {
  return pair === undefined ? randomUUID() : `${pair}-${client}`;
}

/** The ids of all clients of a pair. @param {Pick<PairNames, 'names' | 'clients'>} pair */
export function clientIdsOf({names: {pair}, clients}) {
  return Array.from({length: clients}, (_, client) => clientIdOf({pair, client}));
}
