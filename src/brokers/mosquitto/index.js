import {option} from '../../options/option.js';
import {addressOptions, fileCheck, fileOptions, impliesTls, urlType} from '../address.js';
import {connectionFrom, localServer, maskConnection, parseMqttUrl} from './url.js';

/**
 * @import {CellFeatures, OptionType} from '../../options/contract.js'
 * @import {BrokerKind} from '../kind.js'
 * @import {MqttConnection} from './url.js'
 */

const group = 'Mosquitto';

/** @type {OptionType<string>} */
const topic = {
  allowed: 'a topic of letters, digits, - and _, in parts with / between, of at most 180 characters',
  placeholder: 'TOPIC',
  parse: (value) => (/^[\w-]+(\/[\w-]+)*$/.test(value) && value.length <= 180 ? value : undefined),
  format: String,
};

const address = addressOptions('mosquitto', {
  group,
  broker: 'the MQTT broker',
  url: {
    type: urlType('an mqtt:// or mqtts:// URL', parseMqttUrl),
    help: 'The MQTT broker as a URL, instead of host, port, user and password: mqtt://user:password@host:1883. mqtts:// uses TLS.',
  },
  port: localServer.port,
});

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
  ...address,
  ...fileOptions('mosquitto', {group, broker: 'an MQTT broker', more: impliesTls, ...needsBroker}),
  ...nameOptions,
];

/** Mosquitto, or any other broker of MQTT 5 that a person names. @satisfies {BrokerKind<MqttConnection>} */
export const mosquitto = {
  name: 'mosquitto',
  label: 'Mosquitto',
  program: 'mosquitto',
  schemes: ['mqtt', 'mqtts'],
  options,
  urlOption: address[0],
  addressOptions: address,
  nameOptions,
  versions: ['mosquitto'],
  local: localServer,
  connectionFrom,
  checkFiles: fileCheck('mosquitto'),
  mask: maskConnection,
  nodes: () => 1,
  load: async () => (await import('./driver.js')).driver,
};
