import {homeOption, homeSetting, withHomeAsked} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {integer, oneOf, onOff} from '../../options/types.js';
import {
  deliveryModeOption,
  isBroadcast,
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

/** The labels of broker kinds in tables. */
const brokers = /** @type {const} */ ({rabbitmq: 'RabbitMQ', artemis: 'Artemis'});
/** @type {keyof typeof brokers} */
const usualBroker = 'rabbitmq';

const journals = /** @type {const} */ (['nio', 'asyncio']);
/** @type {typeof journals[number]} */
const usualJournal = 'nio';

const options = [
  option('amqp1-broker', {
    type: oneOf(/** @type {(keyof typeof brokers)[]} */ (Object.keys(brokers))),
    default: usualBroker,
    list: true,
    label: (value) => brokers[value] ?? null,
    // Records of earlier versions have no value: those versions supported only RabbitMQ.
    implied: usualBroker,
    help: 'The kind of broker for AMQP 1.0. Several kinds are compared, each with a private broker or with the broker that its own options name.',
    group,
  }),
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
  option('artemis-journal', {
    type: oneOf(journals),
    default: usualJournal,
    implied: usualJournal,
    list: true,
    label: (value) => (value === 'asyncio' ? 'asynchronous journal' : null),
    help: "How a private Artemis writes its journal: by Java's own files (NIO), or by asynchronous I/O, which needs Linux with libaio.",
    needs: '--amqp1-broker artemis, and a private broker',
    appliesTo: ({mayStartBroker}) => mayStartBroker,
    group: 'Artemis',
  }),
];

/**
 * @typedef {ScriptValuesOf<typeof options[number]>} OwnSettings
 *
 * @typedef {Omit<OwnSettings, Implied> & Partial<Pick<OwnSettings, Implied>> & SettingsOfBroker} Amqp1Variant
 *
 * @typedef {'amqp1Broker' | 'artemisJournal'} Implied settings that a variant has only if they differ from the default
 */

/**
 * RPC by AMQP 1.0. Through RabbitMQ, it uses the same kinds of exchanges and queues as the AMQP 0-9-1 transport, under separate names.
 * Through Artemis, it uses queues.
 * @satisfies {Transport<Amqp1Variant>}
 */
const amqp1 = {
  name: /** @type {const} */ ('amqp1'),
  label: 'AMQP 1.0',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: usualBroker,
  brokers: Object.keys(brokers),
  brokersOf: ({amqp1Broker = usualBroker}) => [amqp1Broker].flat(),
  isOptIn: true,
  libraries: ['rhea'],
  roundTripMs: (payloadBytes) => 0.5 + 4e-6 * payloadBytes,
  boundsSends: ({amqp1Settled}) => !amqp1Settled,
  brokerSettings: (variant) => {
    const {artemisJournal: journal = usualJournal} = variant;
    if (isOverArtemis(variant)) return journal === usualJournal ? {} : {journal};
    // RabbitMQ 4 still has a plugin with this name, which does nothing.
    return {plugin: 'rabbitmq_amqp1_0', ...homeSetting(variant)};
  },
  ignores: (variant) => [
    ...(isBroadcast(variant) ? ['deliveryMode', 'queueType', 'amqp1Settled'] : []),
    ...(isOverArtemis(variant) ? ['queueType', 'rabbitmqHome'] : ['artemisJournal']),
  ],
  refuse: (variant) => (isOverArtemis(variant) ? null : refuseTransientQuorum(variant)),
  complete: ({brokerNodes = 1, ...variant}) => ({
    ...withHomeAsked(variant),
    ...(brokerNodes > 1 && !isOverArtemis(variant) && {brokerNodes}),
  }),
  ...shownDeliveryMode,
  guarantees: {
    usual: {deliveryMode: [1, 2], amqp1Settled: [true, false]},
    all: {
      ...{deliveryMode: [1, 2], amqp1Settled: [true, false], queueType: ['classic', 'quorum']},
      ...{amqp1Broker: Object.keys(brokers), artemisJournal: ['nio']},
    },
    consumer: {},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

/** @param {Pick<Amqp1Variant, 'amqp1Broker'>} variant */
function isOverArtemis({amqp1Broker = usualBroker}) {
  return amqp1Broker === 'artemis';
}

export default amqp1;
