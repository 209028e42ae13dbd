import {maskRefusedUrl, maskUrl} from '../../net/broker-url.js';
import {certificateFile, checkPair, keyFile, ownCertificateFile} from '../../net/tls-files.js';
import {option} from '../../options/option.js';
import {hostName, integer, text} from '../../options/types.js';
import {connectionFrom, localServer, maskConnection, parseMqttUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {MqttConnection} from './url.js'
 */

const group = 'Mosquitto';

/** @type {OptionType<string>} */
const brokerUrl = {
  allowed: 'an mqtt:// or mqtts:// URL',
  placeholder: 'URL',
  parse: (value) => (parseMqttUrl(value) ? value : undefined),
  format: String,
  mask: (value) => maskUrl(value),
  maskRefused: (value) => maskRefusedUrl(value, maskUrl),
};

/** @type {OptionType<string>} */
const topic = {
  allowed: 'a topic of letters, digits, - and _, in parts with / between, of at most 180 characters',
  placeholder: 'TOPIC',
  parse: (value) => (/^[\w-]+(\/[\w-]+)*$/.test(value) && value.length <= 180 ? value : undefined),
  format: String,
};

/** The broker, as one URL. */
const urlOption = option('mosquitto-url', {
  type: brokerUrl,
  help: 'The MQTT broker as a URL, instead of host, port, user and password: mqtt://user:password@host:1883. mqtts:// uses TLS.',
  group,
});

/** Setting one of these names a broker. */
const addressOptions = [
  urlOption,
  option('mosquitto-host', {
    type: hostName,
    default: 'localhost',
    help: 'Host of the MQTT broker.',
    group,
  }),
  option('mosquitto-port', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 1883,
    help: 'Port of the MQTT broker.',
    group,
  }),
  option('mosquitto-username', {
    type: text('a user name'),
    help: 'User on the MQTT broker; by default none.',
    group,
  }),
  option('mosquitto-password', {
    type: text('a password'),
    placeholder: 'PASSWORD',
    secret: true,
    help: 'Password on the MQTT broker. Set it in the environment or in .env: other users can read a command line.',
    group,
  }),
];

/** The names that a run uses on the broker. */
const nameOptions = [
  option('mosquitto-topic', {
    key: 'topic',
    type: topic,
    default: 'perf-battle',
    help: 'Prefix of the topics and of the names of clients. By default a battle adds a unique part.',
    group,
  }),
];

const needsBroker = {
  needs:
    'a transport that uses Mosquitto, and a broker that --broker, --mosquitto-url or --mosquitto-host names',
  appliesTo: (/** @type {CellFeatures} */ {mayStartBroker}) => !mayStartBroker,
};

const options = [
  ...addressOptions,
  option('mosquitto-ca-file', {
    type: certificateFile,
    help: 'Certificate authority that signed the certificate of an MQTT broker with TLS. Any of these three files implies TLS.',
    ...needsBroker,
    group,
  }),
  option('mosquitto-cert-file', {
    type: ownCertificateFile,
    help: 'Certificate of the client, with its chain, for an MQTT broker that asks for one (mutual TLS).',
    ...needsBroker,
    group,
  }),
  option('mosquitto-key-file', {
    type: keyFile,
    help: 'Private key of that certificate.',
    ...needsBroker,
    group,
  }),
  ...nameOptions,
];

/**
 * Mosquitto, or any other broker of MQTT 5 that a person names.
 * @satisfies {BrokerKind<MqttConnection>}
 */
export const mosquitto = {
  name: 'mosquitto',
  label: 'Mosquitto',
  program: 'mosquitto',
  schemes: ['mqtt', 'mqtts'],
  options,
  urlOption,
  addressOptions,
  nameOptions,
  versions: ['mosquitto'],
  local: localServer,
  connectionFrom,
  checkFiles: ({certFile, keyFile}) =>
    checkPair(certFile, keyFile, '--mosquitto-cert-file and --mosquitto-key-file'),
  mask: maskConnection,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
