import {provisionBroker} from '../../../src/brokers/provision.js';

/** @import {BrokerConnection, BrokerKind, BrokerRequest} from '../../../src/brokers/kind.js' */

/**
 * Provisions a broker: a private one, unless the request says otherwise.
 * @template {BrokerConnection} Connection
 * @param {BrokerKind<Connection>} kind
 * @param {Partial<BrokerRequest<Connection>>} request
 */
export async function provision(kind, request) {
  const {signal} = new AbortController();
  return await provisionBroker(kind, {choice: 'private', given: null, log: () => {}, signal, ...request});
}
