import {maskRefusedUrl, maskUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {hostName, integer, oneOf, text} from '../../options/types.js';
import {packageFolders} from '../programs.js';
import {connectionFrom, localServer, maskConnection, parseKafkaUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {KafkaConnection} from './url.js'
 */

const group = 'Kafka';

/** @type {OptionType<string>} */
const serverUrl = {
  allowed: 'a kafka:// or kafka+ssl:// URL',
  placeholder: 'URL',
  parse: (value) => (parseKafkaUrl(value) ? value : undefined),
  format: String,
  mask: (value) => maskUrl(value),
  maskRefused: (value) => maskRefusedUrl(value, maskUrl),
};

/** @type {OptionType<string>} */
const prefix = {
  allowed: 'letters, digits, - and _, at most 150',
  placeholder: 'PREFIX',
  parse: (value) => (/^[\w-]{1,150}$/.test(value) ? value : undefined),
  format: String,
};

/** A broker, as one URL. */
const urlOption = option('kafka-url', {
  type: serverUrl,
  help: 'A Kafka broker as a URL, instead of host, port, user and password: kafka://user:password@host:9092. kafka+ssl:// uses TLS. Any broker of a cluster names the others.',
  group,
});

/** Setting one of these names a broker. */
const addressOptions = [
  urlOption,
  option('kafka-host', {
    type: hostName,
    default: 'localhost',
    help: 'Host of the Kafka broker.',
    group,
  }),
  option('kafka-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 9092,
    help: 'Port of the Kafka broker.',
    group,
  }),
  option('kafka-username', {
    type: text('a user name'),
    help: 'User on the Kafka broker (SASL); by default none.',
    group,
  }),
  option('kafka-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    secret: true,
    help: 'Password on the Kafka broker. Set it in the environment or in .env: other users can read a command line.',
    group,
  }),
];

/** What the names of all that a run creates on the broker begin with. */
const nameOptions = [
  option('kafka-prefix', {
    type: prefix,
    default: 'perf-battle',
    help: 'What the names of topics and groups begin with. By default a battle adds a unique part.',
    group,
  }),
];

const needsServer = {
  needs: 'a transport that uses Kafka, and a broker that --broker, --kafka-url or --kafka-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...addressOptions,
  option('kafka-sasl-mechanism', {
    type: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
    default: 'plain',
    help: 'The SASL mechanism by which a user logs in to a Kafka broker.',
    ...needsServer,
    group,
  }),
  option('kafka-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of a Kafka broker with TLS. Any of these three files implies TLS.',
    ...needsServer,
    group,
  }),
  option('kafka-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for a Kafka broker that asks for one (mutual TLS).',
    ...needsServer,
    group,
  }),
  option('kafka-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsServer,
    group,
  }),
  ...nameOptions,
];

/** Where infra/kafka/install.sh puts it. */
const ownFolder = '/opt/perf-battle/kafka/bin';

/**
 * A Kafka broker, or a cluster of them that one leads to.
 * @satisfies {BrokerKind<KafkaConnection>}
 */
export const kafka = {
  name: 'kafka',
  label: 'Kafka',
  program: 'kafka-server-start.sh',
  /** Of Homebrew. */
  otherPrograms: ['kafka-server-start'],
  programFolders: async () => [ownFolder, ...packageFolders()],
  schemes: ['kafka', 'kafka+ssl'],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['kafka'],
  local: localServer,
  connectionFrom,
  checkFiles: ({certFile, keyFile}) => checkPair(certFile, keyFile, '--kafka-cert-file and --kafka-key-file'),
  mask: maskConnection,
  nodes: () => 1,
  /** The heap that Apache's script gives it, and the page cache of its files. */
  minMemoryBytes: 2 * 1024 ** 3,
  load: async () => (await import('./driver.js')).driver,
};
