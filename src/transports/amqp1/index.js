import {homeOption, homeSetting, withHomeAsked} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {integer, onOff} from '../../options/types.js';
import {
  deliveryModeOption,
  queueTypeOption,
  refuseTransientQuorum,
  shownDeliveryMode,
} from '../rabbitmq/index.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {SettingsOfBroker} from '../rabbitmq/index.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'RabbitMQ';

const options = [
  deliveryModeOption,
  queueTypeOption,
  option('amqp1-settled', {
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'settled' : 'unsettled'),
    help: 'Send messages settled: neither end acknowledges them. Otherwise a round trip ends when both the reply and the outcome of the request have arrived.',
    group,
  }),
  option('amqp1-credit', {
    type: integer({minimum: 1, maximum: 2000}),
    default: 100,
    list: true,
    label: (value) => `credit ${value}`,
    help: 'The maximum number of messages that the broker may send to a receiver before it gets more credit.',
    group,
  }),
  homeOption,
];

/** @typedef {ScriptValuesOf<typeof options[number]> & SettingsOfBroker} Amqp1Variant */

/**
 * RPC through RabbitMQ by AMQP 1.0, with the exchanges and queues that the transport of AMQP 0-9-1 has, under names of their own.
 * @satisfies {Transport<Amqp1Variant>}
 */
const amqp1 = {
  name: /** @type {const} */ ('amqp1'),
  label: 'AMQP 1.0',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'rabbitmq',
  isOptIn: true,
  libraries: ['rhea'],
  roundTripMs: (payloadBytes) => 0.5 + 4e-6 * payloadBytes,
  boundsSends: ({amqp1Settled}) => !amqp1Settled,
  // RabbitMQ 4 has a plugin of this name, too, which does nothing.
  brokerSettings: (variant) => ({plugin: 'rabbitmq_amqp1_0', ...homeSetting(variant)}),
  ignores: (variant) => (isBroadcast(variant) ? ['deliveryMode', 'queueType', 'amqp1Settled'] : []),
  refuse: refuseTransientQuorum,
  complete: ({brokerNodes = 1, ...variant}) => ({
    ...withHomeAsked(variant),
    ...(brokerNodes > 1 && {brokerNodes}),
  }),
  qualifier: (variant) => (isBroadcast(variant) ? null : shownDeliveryMode.qualifier(variant)),
  persistent: (variant) => (isBroadcast(variant) ? null : shownDeliveryMode.persistent(variant)),
  guarantees: {
    usual: {deliveryMode: [1, 2], amqp1Settled: [true, false]},
    all: {deliveryMode: [1, 2], amqp1Settled: [true, false], queueType: ['classic', 'quorum']},
    consumer: {},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

/** Whether a fanout exchange sends a message to subscribers, settled, into queues that last as long as their receivers. @param {object} variant */
const isBroadcast = (variant) => 'subscribers' in variant;

export default amqp1;
