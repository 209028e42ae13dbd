import {randomUUID} from 'node:crypto';

/** @import {PairNames} from './kind.js' */

/**
 * The unique part in the names of a client's queues. A battle knows the id too, and deletes the queues that a client has left.
 * @param {ClientName} client
 *
 * @typedef {object} ClientName
 * @property {string} [pair] the name of this pair of processes in a battle
 * @property {number} [client] the number of this client in the pair in a battle
 */
export function clientIdOf({pair, client = 0}) {
  return pair === undefined ? randomUUID() : `${pair}-${client}`;
}

/** @param {Pick<PairNames, 'names' | 'clients'>} pair */
export function clientIdsOf({names: {pair}, clients}) {
  return Array.from({length: clients}, (_, client) => clientIdOf({pair, client}));
}
