import {option} from '../../options/option.js';
import {integer, oneOf} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'Kafka';

const options = [
  option('kafka-acks', {
    type: oneOf(['0', '1', 'all']),
    default: 'all',
    list: true,
    label: (value) => `acks=${value}`,
    help: 'When the broker acknowledges a message: never, when the leader of its partition has it, or when all replicas in sync have it.',
    group,
  }),
  option('kafka-linger', {
    type: integer({minimum: 0, maximum: 10_000}),
    placeholder: 'MS',
    default: 0,
    list: true,
    label: (value) => `linger ${value} ms`,
    help: 'How many milliseconds a message waits, to be sent together with others. With 0, only messages of one turn of the event loop, or waiting for one of five requests in flight, are sent together.',
    group,
  }),
  option('kafka-flush', {
    type: oneOf(['system', 'always']),
    default: 'system',
    list: true,
    label: (value) => (value === 'always' ? 'flush.messages=1' : 'no flush'),
    help: 'When the broker writes the topics of a run to the disk: when the system does (system, the default of Kafka), or before it acknowledges each message (always, flush.messages=1).',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} KafkaVariant */

/**
 * Request and reply through a Kafka broker. A consumer group reads the topic of requests, which has a partition for each server. Each
 * client reads its own topic of replies without a group. Headers have the number of a request and the topic of its reply. A client that
 * stores messages has its own topic.
 * @satisfies {Transport<KafkaVariant>}
 */
const kafka = {
  name: /** @type {const} */ ('kafka'),
  label: 'Kafka',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'kafka',
  isOptIn: true,
  libraries: ['@platformatic/kafka'],
  roundTripMs: (payloadBytes, {kafkaLinger}) => 1.5 + 2 * kafkaLinger + 1e-5 * payloadBytes,
  boundsSends: ({kafkaAcks}) => kafkaAcks !== '0',
  persistent: () => 'Yes',
  guarantees: {
    usual: {kafkaAcks: ['all'], kafkaFlush: ['system', 'always']},
    all: {kafkaAcks: ['0', '1', 'all'], kafkaFlush: ['system', 'always']},
    consumer: {},
  },
  notesOn: (variants) => (variants.some(({kafkaFlush}) => kafkaFlush !== 'always') ? [flushNote] : []),
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

const flushNote =
  'Kafka without --kafka-flush always: the broker acknowledges a message that is in the page cache, and the system decides when the message is written to the disk. So the figures do not include a wait for the disk.';

export default kafka;
