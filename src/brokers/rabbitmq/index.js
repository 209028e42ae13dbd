import {option} from '../../options/option.js';
import {overlay} from '../../options/resolve.js';
import {integer, text} from '../../options/types.js';
import {addressOptions, fileCheck, fileOptions, urlType} from '../address.js';
import {homeOption, installed} from './home.js';
import {
  completeConnection,
  connectionFrom,
  maskBrokerUrl,
  maskConnection,
  parseBrokerUrl,
  settingsOfUrl,
} from './url.js';

/**
 * @import {CellFeatures, OptionType, ScriptValuesOf, Settings} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {RabbitmqConnection} from './url.js'
 */

const group = 'RabbitMQ';

/**
 * A name that the broker accepts for exchanges and queues, short enough for the suffixes that perf-battle adds.
 * @type {OptionType<string>}
 */
const brokerName = {
  ...text('a name of at most 180 bytes that does not begin with "amq.", which RabbitMQ reserves'),
  parse: (value) => {
    const name = text('a name').parse(value);
    const isFree = name !== undefined && Buffer.byteLength(name) <= 180 && !name.startsWith('amq.');
    return isFree ? name : undefined;
  },
};

const address = [
  ...addressOptions('rabbitmq', {
    group,
    broker: 'the broker',
    url: {
      type: urlType('an amqp:// or amqps:// URL', parseBrokerUrl, maskBrokerUrl),
      help: 'The broker as a URL, instead of host, port, user, password and virtual host. amqps:// uses TLS. The parameters cacertfile, certfile, keyfile and heartbeat set the corresponding options.',
    },
    port: 5672,
    user: 'guest',
    login: '',
  }),
  option('rabbitmq-vhost', {
    type: text('the name of a virtual host'),
    default: '/',
    help: 'Virtual host.',
    group,
  }),
];

const nameOptions = [
  option('rabbitmq-exchange', {
    key: 'exchange',
    type: brokerName,
    default: 'exchange-perf-battle',
    help: 'Prefix of the names of the two direct exchanges. By default a battle adds a unique part.',
    needs: 'the transport rabbitmq, and a workload with a server',
    appliesTo: ({hasServer}) => hasServer,
    group,
  }),
  option('rabbitmq-queue', {
    key: 'queue',
    type: brokerName,
    default: 'queue-perf-battle',
    help: 'Prefix of the names of the two durable queues. By default a battle adds a unique part.',
    group,
  }),
];

const needsTls = {
  needs: 'the transport rabbitmq and an amqps:// URL in --broker or --rabbitmq-url',
  appliesTo: (/** @type {CellFeatures} */ {brokerUrl}) => /^amqps:/i.test(brokerUrl ?? ''),
};

const needsNamed = {
  needs:
    'a transport that uses RabbitMQ, and a broker that --broker, --rabbitmq-url or --rabbitmq-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const nodesOption = option('broker-nodes', {
  type: integer({minimum: 1, maximum: 15}),
  default: 1,
  scope: 'battle',
  label: (nodes) => (nodes > 1 ? `${nodes} nodes` : null),
  help: 'Nodes of the private broker. Several nodes form a cluster; with --broker-on they run on different hosts.',
  needs: 'a private broker, and a transport that uses RabbitMQ',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
  group: 'Hosts and brokers',
});

const options = [
  ...address,
  ...fileOptions('rabbitmq', {group, broker: 'an amqps:// broker', ...needsTls}),
  option('rabbitmq-stream-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'Port of the stream protocol of the broker; by default 5552, and 5551 with amqps://.',
    ...needsNamed,
    group,
  }),
  option('rabbitmq-stomp-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'STOMP port of the broker; by default 61613, and 61614 with amqps://.',
    ...needsNamed,
    group,
  }),
  option('rabbitmq-mqtt-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'MQTT port of the broker; by default 1883, and 8883 with amqps://.',
    ...needsNamed,
    group,
  }),
  nodesOption,
  ...nameOptions,
];

/**
 * RabbitMQ, or another broker that speaks its AMQP 0-9-1.
 * @satisfies {BrokerKind<RabbitmqConnection, ScriptValuesOf<typeof options[number]>>}
 */
export const rabbitmq = {
  name: 'rabbitmq',
  label: 'RabbitMQ',
  program: 'rabbitmq-server',
  schemes: ['amqp', 'amqps'],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['rabbitmq', 'erlang'],
  local: completeConnection({}),
  connectionFrom,
  settingsOfUrl,
  checkFiles: fileCheck('rabbitmq'),
  mask: maskConnection,
  // Clients notice that a plugin is not enabled.
  verifiesSettings: true,
  nodes: ({brokerNodes}) => brokerNodes,
  clusterDefaults,
  minMemoryBytes: 1024 ** 3,
  // The default of disk_free_limit.
  minFreeBytes: 50e6,
  programFolders: async (settings) => await (await import('./installation.js')).programFolders(settings),
  otherVersions: {option: homeOption, installed, setting: (home) => ({home}), offered: ['4']},
  load: async () => (await import('./driver.js')).driver,
};

/**
 * A cluster exists to replicate, so its queues are quorum queues, which always persist.
 * @template {Settings} Whole @param {Whole} settings
 */
function clusterDefaults(settings) {
  const origin = /** @type {const} */ ({kind: 'default', name: '--broker-nodes'});
  const clustered = overlay(settings, {queueType: ['quorum']}, origin);
  const {queueType} = /** @type {{queueType: readonly string[]}} */ (clustered.values);
  const isReplicated = queueType.join() === 'quorum';
  return isReplicated ? overlay(clustered, {deliveryMode: [2]}, origin) : clustered;
}
