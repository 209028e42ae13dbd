import {homeOption, homeSetting} from '../../brokers/rabbitmq/home.js';
import {option} from '../../options/option.js';
import {integer} from '../../options/types.js';
import {withBrokerAsked} from '../rabbitmq/index.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {SettingsOfBroker} from '../rabbitmq/index.js'
 * @import {Transport} from '../transport.js'
 */

const options = [
  option('rabbitmq-stream-batch', {
    type: integer({minimum: 1, maximum: 1000}),
    default: 100,
    list: true,
    label: (value) => `batch ${value}`,
    help: 'The maximum number of messages that a publisher of a stream sends in one frame.',
    group: 'RabbitMQ',
  }),
  homeOption,
];

/** @typedef {ScriptValuesOf<typeof options[number]> & SettingsOfBroker} RabbitmqStreamVariant */

/**
 * Streams of RabbitMQ over the stream protocol. One server reads the stream of requests from its end. Each client has a stream of replies.
 * A round trip ends when both the reply and the confirm of the request have arrived.
 * @satisfies {Transport<RabbitmqStreamVariant>}
 */
const rabbitmqStream = {
  name: /** @type {const} */ ('rabbitmq-stream'),
  label: 'RabbitMQ stream',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'rabbitmq',
  isOptIn: true,
  libraries: ['rabbitmq-stream-js-client'],
  roundTripMs: (payloadBytes) => 2 + 1e-4 * payloadBytes,
  boundsSends: () => true,
  brokerSettings: (variant) => ({plugin: 'rabbitmq_stream', ...homeSetting(variant)}),
  // Each reader of a stream receives every message, so servers cannot share requests.
  maxServers: 1,
  complete: withBrokerAsked,
  persistent: () => 'Yes',
  guarantees: {usual: {}, all: {}, consumer: {}},
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default rabbitmqStream;
