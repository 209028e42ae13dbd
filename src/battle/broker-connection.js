import {turnOf} from './take-turns.js';

/**
 * @import {Broker} from '../brokers/index.js'
 * @import {BrokerConnection} from '../transports/rabbitmq/url.js'
 */

/**
 * The nodes of a cluster take turns: client i connects to node i mod N, and so does server i. What a role declares has its leader there, for
 * RabbitMQ's default is that of the node that the declaring connection leads to (queue leader locator client-local).
 * @param {Pick<Broker, 'connections'> | null} broker
 * @param {number} index of a client among the clients, or of a server among the servers
 * @returns {BrokerConnection | null} null without a broker
 */
export function connectionFor(broker, index) {
  return broker && turnOf(broker.connections, index);
}
