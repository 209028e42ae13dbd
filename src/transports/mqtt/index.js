import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/option.js'
 * @import {OptionType} from '../../options/types.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'MQTT';

/** @type {OptionType<0 | 1 | 2>} */
const qualityOfService = {
  allowed: '0 (at most once), 1 (at least once) or 2 (exactly once)',
  choices: ['0', '1', '2'],
  parse: (value) => /** @type {const} */ ([0, 1, 2]).find((qos) => String(qos) === value),
  format: String,
};

const options = [
  option('mqtt-qos', {
    type: qualityOfService,
    default: 1,
    battleDefault: [0, 1],
    list: true,
    label: () => null,
    help: 'Quality of service of requests, replies and subscriptions: 0 is at most once, 1 at least once, 2 exactly once.',
    group,
  }),
  option('mqtt-persistence', {
    type: oneOf(['off', 'interval', 'changes']),
    list: true,
    label: (value) => (value === 'off' ? 'not saved' : `saved by ${value}`),
    help: 'When a private Mosquitto saves what it holds to its file: never, every 30 minutes (its default once persistence is on), or after each change. By default never.',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} MqttVariant */

/**
 * Request and reply through an MQTT 5 broker: the client publishes with a response topic and correlation data; the servers share one subscription, so
 * that each request goes to one of them. With QoS 1 or 2, a round trip ends when both the reply and the acknowledgement of the request are in. The
 * durable queue is a session that the broker keeps while its client is away.
 * @satisfies {Transport<MqttVariant>}
 */
const mqtt = {
  name: /** @type {const} */ ('mqtt'),
  label: 'MQTT',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'mosquitto',
  isOptIn: true,
  libraries: ['mqtt'],
  roundTripMs: (payloadBytes) => 0.4 + 4e-6 * payloadBytes,
  boundsSends: ({mqttQos}) => mqttQos > 0,
  refuse: ({mqttQos}, needs) =>
    mqttQos === 0 && needs.includes('store')
      ? '--mqtt-qos 0 stores nothing: a broker keeps only messages with QoS 1 or 2 for a client that is away, and the workload needs a queue. Use --mqtt-qos 1 or 2.'
      : null,
  brokerSettings: ({mqttPersistence}) => (mqttPersistence === null ? {} : {persistence: mqttPersistence}),
  qualifier: ({mqttQos}) => `QoS ${mqttQos}`,
  persistent: ({mqttPersistence}) =>
    mqttPersistence === null ? null : mqttPersistence === 'off' ? 'No' : 'Yes',
  guarantees: {
    usual: {mqttQos: [1], mqttPersistence: ['interval', 'changes']},
    all: {mqttQos: [1, 2], mqttPersistence: ['off', 'interval', 'changes']},
    consumer: {},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default mqtt;
