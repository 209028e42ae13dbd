import {homeOption, homeSetting, speaksMqtt5, withHomeAsked} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';

/**
 * @import {OptionType, ScriptValuesOf} from '../../options/contract.js'
 * @import {Capability, Transport} from '../transport.js'
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
    help: 'When a private Mosquitto saves its data to its file: never, every 30 minutes (its default once persistence is on), or after each change. By default never.',
    group,
  }),
  option('mqtt-broker', {
    type: oneOf(['mosquitto', 'rabbitmq']),
    list: true,
    label: (value) => (value === 'rabbitmq' ? 'RabbitMQ' : value === undefined ? null : 'Mosquitto'),
    help: 'The broker: Mosquitto or another MQTT 5 broker, or RabbitMQ 3.13 or later, with its plugin. By default mosquitto.',
    group,
  }),
  homeOption,
];

/** @typedef {ScriptValuesOf<typeof options[number]> & {brokerNodes?: number}} MqttVariant brokerNodes: present if there is more than one */

/**
 * Request and reply through an MQTT 5 broker. The client publishes with a response topic and correlation data. The servers share one
 * subscription, so that each request goes to one server. With QoS 1 or 2, a round trip ends when both the reply and the acknowledgement of
 * the request have arrived. The durable queue is a session that the broker keeps while its client is disconnected.
 * @satisfies {Transport<MqttVariant>}
 */
const mqtt = {
  name: /** @type {const} */ ('mqtt'),
  label: 'MQTT',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'mosquitto',
  brokers: ['mosquitto', 'rabbitmq'],
  brokersOf: ({mqttBroker}) => [...new Set([mqttBroker ?? null].flat().map((name) => name ?? 'mosquitto'))],
  isOptIn: true,
  libraries: ['mqtt'],
  roundTripMs: (payloadBytes) => 0.4 + 4e-6 * payloadBytes,
  boundsSends: ({mqttQos}) => mqttQos > 0,
  refuse,
  maxServers: (variant) => (isOverRabbitmq(variant) ? 1 : Number.POSITIVE_INFINITY),
  brokerSettings: (variant) =>
    isOverRabbitmq(variant)
      ? {plugin: 'rabbitmq_mqtt', ...homeSetting(variant)}
      : variant.mqttPersistence === null
        ? {}
        : {persistence: variant.mqttPersistence},
  ignores: (variant) => (isOverRabbitmq(variant) ? ['mqttPersistence', 'exchange'] : ['rabbitmqHome']),
  complete: ({mqttBroker = null, brokerNodes = 1, ...variant}) => ({
    ...withHomeAsked(variant),
    ...(mqttBroker !== null && {mqttBroker}),
    ...(mqttBroker === 'rabbitmq' && brokerNodes > 1 && {brokerNodes}),
  }),
  qualifier: ({mqttQos}) => `QoS ${mqttQos}`,
  persistent: (variant) =>
    isOverRabbitmq(variant) || variant.mqttPersistence === null
      ? null
      : variant.mqttPersistence === 'off'
        ? 'No'
        : 'Yes',
  guarantees: {
    usual: {mqttQos: [1], mqttPersistence: ['interval', 'changes']},
    all: {mqttQos: [1, 2], mqttPersistence: ['off', 'interval', 'changes']},
    consumer: {},
    ofPrivateBroker: {mqttPersistence: 'off'},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

/** @param {Pick<MqttVariant, 'mqttBroker'>} variant */
function isOverRabbitmq({mqttBroker}) {
  return mqttBroker === 'rabbitmq';
}

/** @param {Pick<MqttVariant, 'mqttQos' | 'mqttBroker' | 'rabbitmqHome'>} variant @param {readonly Capability[]} needs */
function refuse({mqttQos, mqttBroker, rabbitmqHome}, needs) {
  if (mqttQos === 0 && needs.includes('store'))
    return '--mqtt-qos 0 stores nothing: a broker keeps only messages with QoS 1 or 2 for a client that is away, and the workload needs a queue. Use --mqtt-qos 1 or 2.';
  if (!isOverRabbitmq({mqttBroker})) return null;
  if (mqttQos === 2)
    return '--mqtt-qos 2 is not supported by RabbitMQ. Use --mqtt-qos 0 or 1, or --mqtt-broker mosquitto.';
  if (rabbitmqHome && !speaksMqtt5(rabbitmqHome))
    return `--mqtt-broker rabbitmq needs MQTT 5, which RabbitMQ speaks from 3.13 on; --rabbitmq-home is ${rabbitmqHome}. Use --rabbitmq-home 4.`;
  return null;
}

export default mqtt;
