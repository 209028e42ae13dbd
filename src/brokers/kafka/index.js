import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';
import {addressOptions, fileCheck, fileOptions, impliesTls, prefixType, urlType} from '../address.js';
import {packageFolders} from '../programs.js';
import {connectionFrom, localServer, maskConnection, maskKafkaUrl, parseKafkaUrl} from './url.js';

/**
 * @import {CellFeatures} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {KafkaConnection} from './url.js'
 */

const group = 'Kafka';

const address = addressOptions('kafka', {
  group,
  broker: 'the Kafka broker',
  url: {
    type: urlType('a kafka:// or kafka+ssl:// URL', parseKafkaUrl, maskKafkaUrl),
    help: 'A Kafka broker as a URL, instead of host, port, user and password: kafka://user:password@host:9092. kafka+ssl:// uses TLS. Any broker of a cluster leads to the others; several are tried in turn: kafka://one:9092,two:9092.',
  },
  port: localServer.port,
  login: ' (SASL); by default none',
});

const nameOptions = [
  option('kafka-prefix', {
    type: prefixType(150),
    default: 'perf-battle',
    help: 'Prefix of the names of topics and groups. By default a battle adds a unique part.',
    group,
  }),
];

const needsServer = {
  needs: 'a transport that uses Kafka, and a broker that --broker, --kafka-url or --kafka-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...address,
  option('kafka-sasl-mechanism', {
    type: oneOf(['plain', 'scram-sha-256', 'scram-sha-512']),
    default: 'plain',
    help: 'The SASL mechanism by which a user logs in to a Kafka broker.',
    ...needsServer,
    group,
  }),
  ...fileOptions('kafka', {group, broker: 'a Kafka broker', more: impliesTls, ...needsServer}),
  ...nameOptions,
];

/** The folder where infra/kafka/install.sh installs Kafka. */
const ownFolder = '/opt/perf-battle/kafka/bin';

/** A Kafka broker, or a cluster that a broker names. @satisfies {BrokerKind<KafkaConnection>} */
export const kafka = {
  name: 'kafka',
  label: 'Kafka',
  program: 'kafka-server-start.sh',
  /** Homebrew's name of the program. */
  otherPrograms: ['kafka-server-start'],
  programFolders: async () => [ownFolder, ...packageFolders()],
  schemes: ['kafka', 'kafka+ssl'],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['kafka'],
  local: localServer,
  connectionFrom,
  checkFiles: fileCheck('kafka'),
  mask: maskConnection,
  nodes: () => 1,
  advertisesAddress: true,
  /** The heap of Apache's start script, plus the page cache. */
  minMemoryBytes: 2 * 1024 ** 3,
  load: async () => (await import('./driver.js')).driver,
};
