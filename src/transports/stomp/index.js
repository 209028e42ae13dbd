import {homeOption, homeSetting} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {integer, onOff} from '../../options/types.js';
import {
  deliveryModeOption,
  isBroadcast,
  queueTypeOption,
  refuseTransientQuorum,
  shownDeliveryMode,
  withBrokerAsked,
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
  option('stomp-receipts', {
    type: onOff,
    default: true,
    list: true,
    label: (value) => (value ? 'receipts' : 'no receipts'),
    help: 'Ask for a receipt of each message, and acknowledge each delivered request and each delivered message of a queue. A round trip then ends when both the reply and the receipt of the request have arrived. Otherwise nothing is acknowledged.',
    group,
  }),
  option('stomp-prefetch', {
    type: integer({minimum: 1, maximum: 65_535}),
    default: 100,
    list: true,
    label: (value) => `prefetch ${value}`,
    help: 'The maximum number of unacknowledged messages per subscription.',
    needs: 'the transport stomp with --stomp-receipts on',
    group,
  }),
  homeOption,
];

/** @typedef {ScriptValuesOf<typeof options[number]> & SettingsOfBroker} StompVariant */

/**
 * RPC through RabbitMQ by STOMP 1.2. Requests pass through an exchange and a durable queue, as with AMQP 0-9-1. Replies pass through a
 * temporary queue of each client's connection.
 * @satisfies {Transport<StompVariant>}
 */
const stomp = {
  name: /** @type {const} */ ('stomp'),
  label: 'STOMP',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'rabbitmq',
  isOptIn: true,
  libraries: ['@stomp/stompjs'],
  // The estimate is high for large payloads, because the library reads byte by byte.
  roundTripMs: (payloadBytes) => 0.5 + 1e-4 * payloadBytes,
  boundsSends: ({stompReceipts}) => stompReceipts,
  brokerSettings: (variant) => ({plugin: 'rabbitmq_stomp', ...homeSetting(variant)}),
  ignores: (variant) => [
    ...(isBroadcast(variant) ? ['deliveryMode', 'queueType', 'stompReceipts', 'stompPrefetch'] : []),
    // Prefetch bounds unacknowledged messages, which do not exist with automatic acknowledgement.
    ...(variant.stompReceipts ? [] : ['stompPrefetch']),
  ],
  refuse: refuseTransientQuorum,
  complete: withBrokerAsked,
  ...shownDeliveryMode,
  guarantees: {
    usual: {deliveryMode: [1, 2], stompReceipts: [false, true]},
    all: {deliveryMode: [1, 2], stompReceipts: [false, true], queueType: ['classic', 'quorum']},
    consumer: {},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default stomp;
