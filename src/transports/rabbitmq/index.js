import {homeOption, homeSetting, withHomeAsked} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {integer, oneOf, onOff} from '../../options/types.js';
import {defaultAcknowledgement, isConfirmed} from './confirmation.js';

/**
 * @import {OptionType, ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'RabbitMQ';

/** @type {OptionType<1 | 2>} */
const deliveryMode = {
  allowed: '1 (transient) or 2 (persistent)',
  choices: ['1', '2'],
  parse: (value) => /** @type {const} */ ([1, 2]).find((mode) => String(mode) === value),
  format: String,
};

/** External programs that use RabbitMQ also have this option. */
export const deliveryModeOption = option('delivery-mode', {
  environmentName: 'PB_RABBITMQ_DELIVERY_MODE',
  type: deliveryMode,
  default: 1,
  battleDefault: [1, 2],
  list: true,
  label: () => null,
  help: 'Delivery mode of requests and replies: 1 is transient, 2 is persistent.',
  group,
});

export const queueTypeOption = option('rabbitmq-queue-type', {
  key: 'queueType',
  type: oneOf(['classic', 'quorum']),
  default: 'classic',
  list: true,
  label: (value) => value,
  help: 'Type of the durable queues. By default classic, and quorum in a cluster.',
  group,
});

const options = [
  deliveryModeOption,
  option('rabbitmq-ack', {
    key: 'acknowledgement',
    type: oneOf(['auto', 'manual']),
    list: true,
    label: () => null,
    help: 'How both consumers acknowledge. By default auto, and manual with publisher confirms or transactions.',
    group,
  }),
  option('rabbitmq-prefetch', {
    key: 'prefetch',
    type: integer({minimum: 0, maximum: 65_535}),
    default: 100,
    list: true,
    label: (value) => `prefetch ${value}`,
    help: 'The maximum number of unacknowledged messages per consumer; 0: no limit. Needs manual acknowledgement.',
    needs: 'the transport rabbitmq with --rabbitmq-ack manual',
    group,
  }),
  option('rabbitmq-confirms', {
    key: 'confirms',
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'confirms' : 'no confirms'),
    help: 'Publisher confirms: a round trip ends when both the reply and the confirm have arrived.',
    needs: 'the transport rabbitmq without --rabbitmq-tx on',
    group,
  }),
  option('rabbitmq-tx', {
    key: 'transactions',
    type: onOff,
    default: false,
    list: true,
    implied: false,
    label: (value) => (value ? 'transactions' : null),
    help: 'AMQP transactions instead of confirms: a message or an acknowledgement counts when the broker has committed it.',
    group,
  }),
  queueTypeOption,
  option('rabbitmq-reply', {
    key: 'reply',
    type: oneOf(['queue', 'direct']),
    default: 'queue',
    list: true,
    label: (value) => (value === 'direct' ? 'direct reply-to' : 'reply queue'),
    help: 'Return replies through a queue of the client, or by direct reply-to.',
    needs: 'the transport rabbitmq, and a workload with replies',
    appliesTo: ({hasReplies}) => hasReplies,
    group,
  }),
  option('rabbitmq-heartbeat', {
    key: 'heartbeatSeconds',
    type: integer({minimum: 0, maximum: 65_535}),
    default: 10,
    list: true,
    label: (value) => `heartbeat ${value} s`,
    help: 'AMQP heartbeat in seconds; 0: none.',
    group,
  }),
  homeOption,
];

/** Whether messages go to all subscribers, through queues that end with their connections or links. @param {object} variant */
export const isBroadcast = (variant) => 'subscribers' in variant;

/** What tables show of the delivery mode, which subscribers have not. */
export const shownDeliveryMode = {
  qualifier: (/** @type {{deliveryMode: number}} */ variant) =>
    isBroadcast(variant) ? null : `mode ${variant.deliveryMode}`,
  persistent: (/** @type {{deliveryMode: number}} */ variant) =>
    isBroadcast(variant) ? null : variant.deliveryMode === 2 ? 'Yes' : 'No',
};

/**
 * Adds what a variant asks of its broker. A single node is not part of a variant.
 * @template {Parameters<typeof withHomeAsked>[0] & {brokerNodes?: number}} Variant @param {Variant} variant
 */
export function withBrokerAsked({brokerNodes = 1, ...variant}) {
  return {...withHomeAsked(variant), ...(brokerNodes > 1 && {brokerNodes})};
}

/**
 * @typedef {ScriptValuesOf<typeof options[number]> & SettingsOfBroker} RabbitmqSettings
 *
 * @typedef {object} SettingsOfBroker
 * @property {string} exchange the prefix of the names of exchanges
 * @property {string} queue the prefix of the names of queues
 * @property {number} [brokerNodes] present if there is more than one
 */

/**
 * RPC through a RabbitMQ broker. The client publishes to a direct exchange, and a durable queue holds the request. The server consumes the
 * request, and publishes the reply through a second direct exchange to the client's reply queue.
 * @satisfies {Transport<RabbitmqSettings>}
 */
const rabbitmq = {
  name: /** @type {const} */ ('rabbitmq'),
  label: 'RabbitMQ',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  roundTripMs: (payloadBytes) => 0.4 + 4e-6 * payloadBytes,
  boundsSends: isConfirmed,
  broker: 'rabbitmq',
  brokerSettings: homeSetting,
  ignores: ({acknowledgement, transactions, ...variant}) => [
    ...(isBroadcast(variant) ? ofQueues : []),
    // Prefetch bounds unacknowledged messages, which do not exist with automatic acknowledgement.
    ...(acknowledgement === 'auto' ? ['prefetch'] : []),
    ...(transactions ? ['confirms'] : []),
  ],
  libraries: ['amqplib'],
  complete: (variant) => ({
    ...withBrokerAsked(variant),
    // A channel has either confirms or transactions.
    confirms: variant.confirms && !variant.transactions,
    acknowledgement: variant.acknowledgement ?? defaultAcknowledgement(variant),
  }),
  refuse: refuseTransientQuorum,
  details: (variant) =>
    isBroadcast(variant) || variant.acknowledgement === defaultAcknowledgement(variant)
      ? []
      : [`${variant.acknowledgement} ack`],
  ...shownDeliveryMode,
  guarantees: {
    usual: {deliveryMode: [1, 2], confirms: [false, true]},
    all: {
      deliveryMode: [1, 2],
      confirms: [false, true],
      transactions: [false, true],
      queueType: ['classic', 'quorum'],
    },
    consumer: {acknowledgement: ['auto', 'manual']},
  },
  notesOn: (variants) => (variants.some(waitsForNoDisk) ? [persistenceNote] : []),
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

/** @param {{deliveryMode: number, queueType: string}} variant */
export function refuseTransientQuorum({deliveryMode, queueType}) {
  return deliveryMode === 1 && queueType === 'quorum'
    ? '--delivery-mode 1 is not supported by quorum queues, which always persist. Use --delivery-mode 2, or --rabbitmq-queue-type classic.'
    : null;
}

/** Keys of options that do not apply to the queues of subscribers. */
const ofQueues = ['deliveryMode', 'acknowledgement', 'prefetch', 'confirms', 'transactions', 'queueType'];

const persistenceNote =
  'RabbitMQ mode 2 with automatic acknowledgement: the broker delivers a message without waiting for the disk. So the figures do not include that wait, and a message that was delivered need not be on the disk. --rabbitmq-confirms on includes this wait.';

/**
 * Returns whether persistent messages are delivered before they are on disk. A quorum queue delivers a message only when most members have
 * it on disk.
 * @param {RabbitmqSettings} variant
 */
function waitsForNoDisk({deliveryMode, acknowledgement, queueType, ...variant}) {
  const isInMemory = acknowledgement === 'auto' && queueType !== 'quorum' && !isConfirmed(variant);
  return deliveryMode === 2 && isInMemory;
}

export default rabbitmq;
