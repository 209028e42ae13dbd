import {option} from '../../options/option.js';
import {oneOf} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const group = 'Redis';

const labels = {list: 'lists', stream: 'streams', pubsub: 'pub/sub'};

const options = [
  option('redis-via', {
    type: oneOf(['list', 'stream', 'pubsub']),
    default: 'list',
    list: true,
    label: (value) => labels[value],
    help: 'What carries the messages: lists with blocking pops, streams with a group of consumers, or publish and subscribe, which stores nothing.',
    group,
  }),
  option('redis-appendfsync', {
    type: oneOf(['off', 'no', 'everysec', 'always']),
    list: true,
    label: (value) => (value === 'off' ? 'no AOF' : `appendfsync ${value}`),
    help: 'When the server flushes its data to the disk: before each answer (always), every second, or when the system does (no). off: it stores nothing. A private server gets this setting, by default off. A given server must have it.',
    needs: 'the transport redis, and lists or streams',
    group,
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} RedisVariant */

/**
 * Request and reply through Redis or a compatible server. Each message is pushed to a list, added to a stream or published to a channel.
 * With lists and streams, the servers compete for requests. With channels, each client has one server.
 * @satisfies {Transport<RedisVariant>}
 */
const redis = {
  name: /** @type {const} */ ('redis'),
  label: 'Redis',
  options,
  capabilities: ['request', 'send', 'store', 'broadcast'],
  broker: 'redis',
  brokerSettings: ({redisAppendfsync: appendfsync = null}) => (appendfsync === null ? {} : {appendfsync}),
  isOptIn: true,
  libraries: ['ioredis'],
  boundsSends: ({redisVia}) => redisVia !== 'pubsub',
  refuse: ({redisVia}, needs) =>
    redisVia === 'pubsub' && needs.includes('store')
      ? '--redis-via pubsub stores nothing, and the workload needs a queue. Use --redis-via list or stream.'
      : null,
  ignores: ({redisVia, ...variant}) => [
    // Broadcast messages always use channels.
    ...('subscribers' in variant ? ['redisVia', 'redisAppendfsync'] : []),
    ...(redisVia === 'pubsub' ? ['redisAppendfsync'] : []),
  ],
  persistent: ({redisAppendfsync: appendfsync}) =>
    appendfsync === null ? null : appendfsync === 'off' ? 'No' : 'Yes',
  roundTripMs: (payloadBytes) => 0.25 + 4e-6 * payloadBytes,
  guarantees: {
    usual: {redisAppendfsync: ['off', 'no', 'everysec', 'always']},
    all: {redisAppendfsync: ['off', 'no', 'everysec', 'always'], redisVia: ['list', 'stream']},
    consumer: {},
    ofPrivateBroker: {redisAppendfsync: 'off'},
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default redis;
