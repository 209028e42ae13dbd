import {randomUUID} from 'node:crypto';
import {brokerKindNamed} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';

/**
 * @import {Broker, BrokerKind} from '../brokers/kind.js'
 * @import {BringBroker} from '../transports/define.js'
 * @import {GivenSettings} from './pair.js'
 */

/**
 * Starts a private broker for a transport.
 * @param {string | BringBroker} broker of the declaration of the transport
 * @param {AbortSignal} signal
 * @returns {Promise<{settings: GivenSettings, release: () => Promise<void>}>} settings: the connection to it, and names that no other program uses on it
 */
export async function startBroker(broker, signal) {
  const kind = typeof broker === 'string' ? brokerKindNamed(broker) : (await broker()).default;
  const obtained = await provisionBroker(kind, {choice: 'private', given: null, log: () => {}, signal});
  const settings = {broker: obtained.connection, ...uniqueNames(kind)};
  return {settings, release: () => obtained.release()};
}

/** Names of queues and exchanges, subjects, or what else a pair creates on a broker. @param {BrokerKind} kind */
export function uniqueNames({nameOptions}) {
  const id = randomUUID();
  return Object.fromEntries(nameOptions.map(({key}) => [key, `perf-battle-check-${key}-${id}`]));
}
