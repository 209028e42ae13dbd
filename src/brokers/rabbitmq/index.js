import {maskRefusedUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {overlay} from '../../options/resolve.js';
import {hostName, integer, text} from '../../options/types.js';
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
 * @import {CellFeatures, ScriptValuesOf} from '../../options/option.js'
 * @import {OptionType} from '../../options/types.js'
 * @import {Settings} from '../../options/resolve.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {BrokerKind} from '../kind.js'
 */

const group = 'RabbitMQ';

/** @type {OptionType<string>} */
const brokerUrl = {
  allowed: 'an amqp:// or amqps:// URL',
  placeholder: 'URL',
  parse: (value) => (parseBrokerUrl(value) ? value : undefined),
  format: String,
  mask: maskBrokerUrl,
  maskRefused: (value) => maskRefusedUrl(value, maskBrokerUrl),
};

/**
 * A name that the broker takes for exchanges and queues, with room for what is added to it.
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

/** The broker, as one URL. */
const urlOption = option('rabbitmq-url', {
  type: brokerUrl,
  help: 'The broker as a URL, instead of host, port, user, password and virtual host. amqps:// uses TLS. The parameters cacertfile, certfile, keyfile and heartbeat stand for the options of that meaning.',
  group,
});

/** Setting one of these names a broker. */
const addressOptions = [
  urlOption,
  option('rabbitmq-host', {
    type: hostName,
    default: 'localhost',
    help: 'Host of the broker.',
    group,
  }),
  option('rabbitmq-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 5672,
    help: 'Port of the broker.',
    group,
  }),
  option('rabbitmq-username', {
    type: text('a user name'),
    default: 'guest',
    help: 'User on the broker.',
    group,
  }),
  option('rabbitmq-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    default: 'guest',
    secret: true,
    help: 'Password on the broker. Set it in the environment or in .env: other users can read a command line.',
    group,
  }),
  option('rabbitmq-vhost', {
    type: text('the name of a virtual host'),
    default: '/',
    help: 'Virtual host.',
    group,
  }),
];

/** The names of what a run creates on the broker. */
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

/** How many nodes a private broker has; the kinds that can be clusters take it. */
const nodesOption = option('broker-nodes', {
  type: integer({minimum: 1, maximum: 15}),
  default: 1,
  scope: 'battle',
  label: (nodes) => (nodes > 1 ? `${nodes} nodes` : null),
  help: 'Nodes of the private broker. Several nodes form a cluster; with --broker-on they run on different hosts.',
  needs: 'a private broker, and a transport that uses one',
  appliesTo: ({mayStartBroker}) => mayStartBroker,
  group: 'Hosts and brokers',
});

const options = [
  ...addressOptions,
  option('rabbitmq-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of an amqps:// broker.',
    ...needsTls,
    group,
  }),
  option('rabbitmq-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for an amqps:// broker that asks for one (mutual TLS).',
    ...needsTls,
    group,
  }),
  option('rabbitmq-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsTls,
    group,
  }),
  option('rabbitmq-stream-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'Port of the stream protocol of the broker; by default 5552, and 5551 with amqps://.',
    ...needsNamed,
    group,
  }),
  option('rabbitmq-stomp-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'Port of STOMP of the broker; by default 61613, and 61614 with amqps://.',
    ...needsNamed,
    group,
  }),
  option('rabbitmq-mqtt-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    help: 'Port of MQTT of the broker; by default 1883, and 8883 with amqps://.',
    ...needsNamed,
    group,
  }),
  nodesOption,
  ...nameOptions,
];

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
  // A plugin that is not enabled.
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
