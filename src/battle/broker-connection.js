import {turnOf} from './take-turns.js';

/** @import {Broker, BrokerConnection} from '../brokers/kind.js' */

/**
 * The nodes of a cluster take turns: client i connects to node i mod N, and so does server i.
 * @param {Pick<Broker, 'connections'> | null} broker
 * @param {number} index of a client among the clients, or of a server among the servers
 * @returns {BrokerConnection | null} null without a broker
 */
export function connectionFor(broker, index) {
  return broker && turnOf(broker.connections, index);
}
