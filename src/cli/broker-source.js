import {obtainBroker} from '../brokers/index.js';
import {brokerOf} from '../transports/rabbitmq-channel.js';

/** Setting one of these names a broker. */
const naming = [
  'rabbitmqUrl',
  'rabbitmqHost',
  'rabbitmqPort',
  'rabbitmqUsername',
  'rabbitmqPassword',
  'rabbitmqVhost',
];

/**
 * How a battle gets its broker, and the names that it uses there: its own for each trial, unless the person set them.
 *
 * @param {import('../options/resolve.js').Settings} settings
 * @param {{id: string, host: import('../hosts/index.js').Host, log: (line: string) => void, signal: AbortSignal}} battle
 */
export function makeBrokerSource({values, origins}, {id, host, log, signal}) {
  const named = naming.some((key) => origins[key].kind !== 'default');
  const isUrl = !['auto', 'private'].includes(values.broker);
  const given = () => {
    if (isUrl) return {url: values.broker, caFile: values.rabbitmqCaFile};
    // `broker` of the settings says which to take; that of a role is the connection itself.
    return named ? brokerOf({...values, broker: null}) : null;
  };
  const choice = isUrl ? 'auto' : values.broker;
  const isOwn = (/** @type {string} */ key) => origins[key].kind === 'default';
  return {
    obtain: () => obtainBroker({choice, given: given(), host, log, signal}),
    /** @param {string} trial */
    namesFor: (trial) => ({
      exchange: isOwn('exchange') ? `${values.exchange}-${id}-${trial}` : values.exchange,
      queue: isOwn('queue') ? `${values.queue}-${id}-${trial}` : values.queue,
    }),
  };
}
