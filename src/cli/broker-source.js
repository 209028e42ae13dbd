import {obtainBroker} from '../brokers/index.js';
import {isBrokerUrl, namingOrigin} from '../settings/settle-broker.js';
import {brokerOf} from '../transports/rabbitmq/channel.js';

/**
 * @import {Host} from '../hosts/host.js'
 * @import {BattleSettings} from '../settings/index.js'
 */

/**
 * How a battle gets its broker, and the names that it uses there: its own for each trial, unless the person set them.
 *
 * @param {BattleSettings} settings
 * @param {{id: string, hosts: readonly Host[], log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource({values, origins}, {id, hosts, log, signal}) {
  const named = namingOrigin({values, origins}) !== null;
  const isUrl = isBrokerUrl(values);
  const given = () => {
    if (isUrl) return {url: values.broker, caFile: values.rabbitmqCaFile};
    // `broker` of the settings says which to take; that of a role is the connection itself.
    return named && values.brokerNodes === 1 ? brokerOf({...values, broker: null}) : null;
  };
  const choice = isUrl ? 'auto' : values.broker;
  const isOwn = (/** @type {'exchange' | 'queue'} */ key) => origins[key].kind === 'default';
  return {
    obtain: () => obtainBroker({choice, given: given(), nodes: values.brokerNodes, hosts, log, signal}),
    /** @param {string} trial */
    namesFor: (trial) => ({
      exchange: isOwn('exchange') ? `${values.exchange}-${id}-${trial}` : values.exchange,
      queue: isOwn('queue') ? `${values.queue}-${id}-${trial}` : values.queue,
    }),
  };
}
