import {checkPair} from '../../net/tls-files.js';
import {overlay} from '../../options/overlay.js';
import {addressOptions, nameOptions, options, urlOption} from './options.js';
import {completeConnection, connectionFrom, maskConnection, settingsOfUrl} from './url.js';

/**
 * @import {ScriptValuesOf} from '../../options/option.js'
 * @import {Settings} from '../../options/resolve.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {BrokerKind} from '../kind.js'
 */

/**
 * RabbitMQ, or what speaks AMQP 0-9-1 like it.
 * @satisfies {BrokerKind<RabbitmqConnection, ScriptValuesOf<typeof options[number]>>}
 */
export const rabbitmq = {
  name: 'rabbitmq',
  label: 'RabbitMQ',
  program: 'rabbitmq-server',
  schemes: ['amqp', 'amqps'],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['rabbitmq', 'erlang'],
  local: completeConnection({}),
  connectionFrom,
  settingsOfUrl,
  checkFiles: ({certFile, keyFile}) =>
    checkPair(certFile, keyFile, '--rabbitmq-cert-file and --rabbitmq-key-file'),
  mask: maskConnection,
  nodes: ({brokerNodes}) => brokerNodes,
  clusterDefaults,
  minMemoryBytes: 1024 ** 3,
  // The default of disk_free_limit.
  minFreeBytes: 50e6,
  load: async () => (await import('./driver.js')).driver,
};

/**
 * A cluster exists to replicate, so its queues are quorum queues, which always persist.
 * @template {Settings} Whole
 * @param {Whole} settings
 * @returns {Whole}
 */
function clusterDefaults(settings) {
  const origin = /** @type {const} */ ({kind: 'default', name: '--broker-nodes'});
  const clustered = overlay(settings, {queueType: ['quorum']}, origin);
  const {queueType} = /** @type {{queueType: readonly string[]}} */ (clustered.values);
  const isReplicated = queueType.join() === 'quorum';
  return isReplicated ? overlay(clustered, {deliveryMode: [2]}, origin) : clustered;
}
