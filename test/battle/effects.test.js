import assert from 'node:assert/strict';
import {test} from 'node:test';
import {checkEffects} from '../../src/battle/effects.js';
import {planCells} from '../../src/battle/plan.js';
import {UsageError} from '../../src/errors.js';
import {readCommandLine} from '../../src/options/command-line.js';
import {resolveOptions} from '../../src/options/resolve.js';
import {allOptions, optionsOfBattle, optionsOfChoose} from '../../src/settings/index.js';
import {resolveBattle} from '../../src/settings/resolve-battle.js';
import {transports} from '../../src/transports/index.js';
import {workloads} from '../../src/workloads/index.js';
import {someOf} from '../support/effort.js';

/** @import {Option} from '../../src/options/contract.js' */

/**
 * What a battle says of options that have no effect on it.
 * @param {string} commandLine
 * @param {{environment?: Record<string, string>, envFile?: Record<string, string>, mine?: readonly Option[]}} [how]
 */
function check(commandLine, {environment = {}, envFile = {}, mine = optionsOfBattle} = {}) {
  const {flags} = readCommandLine(mine, commandLine.split(' ').filter(Boolean));
  /** @type {any} */
  const asked = resolveOptions(allOptions, {
    ...{scope: 'battle', mine},
    ...{flags, environment, envFile},
  });
  const settings = resolveBattle(asked, {
    payloadFileBytes: asked.values.payloadFile === null ? null : 1024,
    seed: 7,
  });
  return checkEffects(settings, planCells(settings));
}

const always = null;
const needsOfLatencies =
  'a battle without --quiet, and latencies; stream has them with --rate, queue has them with --pairwise';

/**
 * Of every option a battle in which it has an effect, and one in which it has none, with what is said of that; `always`: there is none.
 * @type {Record<string, [string, [string, string] | null]>}
 */
const battles = {
  transport: ['--transport tcp', always],
  preset: ['--preset coralmq', always],
  scenario: ['--scenario nightly', always],
  scale: ['--preset coralmq --scale 0.1', ['--scale 0.1', '--preset, without --samples and --duration']],
  rounds: ['--rounds 2', always],
  precision: ['--precision 2%', always],
  budget: ['--budget 1m', always],
  'pair-per': [
    '--pair-per cell',
    [
      '--pair-per cell --workload stream',
      'several payload sizes, no --rate, and a workload whose pairs may measure several sizes: rtt or pipeline or fan-out',
    ],
  ],
  slices: [
    '--slices off',
    ['--slices off --workload stream', 'the workload rtt without --rate, or pipeline'],
  ],
  quick: [
    '--quick --rounds 1',
    [
      '--quick --rounds 1 --duration 100ms --warmup 10',
      'a battle without --preset whose rounds, length or warm-up the other options leave open; --scale shortens a preset',
    ],
  ],
  broker: ['--broker private', ['--broker private --transport http', 'a transport that uses such a broker']],
  'client-on': ['--client-on a', always],
  'server-on': [
    '--server-on a',
    [
      '--server-on a,b --transport tcp',
      'a server on each of these hosts, with a client of its own or a broker; or a private broker',
    ],
  ],
  'broker-on': [
    '--broker-on a',
    ['--broker-on a --transport http', 'a private broker, and a transport that uses one'],
  ],
  'broker-address': [
    '--server-on a --broker-address 10.0.0.1',
    ['--broker-address 10.0.0.1', 'a private broker, and --client-on, --server-on or --broker-on'],
  ],
  'ssh-config': [
    '--client-on a --ssh-config f',
    ['--ssh-config f', '--client-on, --server-on or --broker-on'],
  ],
  pin: ['--pin 0/1', always],
  cores: ['--cores sleeping', always],
  environment: ['--environment lab', always],
  machine: ['--machine m', always],
  results: ['--results r.md', always],
  label: ['--label 1a2b3c4', always],
  resume: ['--resume', always],
  'take-over': ['--resume --take-over', ['--take-over', '--resume']],
  export: ['--export hlog', always],
  external: ['--external A=a,b', always],
  'broker-kind': ['--external A=a,b --broker-kind nats', ['--broker-kind nats', 'the transport external']],
  'export-configuration': [
    '--export endurox --export-configuration mine',
    ['--export hlog --export-configuration mine', '--export endurox'],
  ],
  detail: ['--detail', ['--detail --quiet', 'a battle without --quiet']],
  histogram: ['--histogram', ['--histogram --quiet', needsOfLatencies]],
  bands: ['--bands', ['--bands --quiet', needsOfLatencies]],
  expect: ['--expect p99<5ms', always],
  json: ['--json', always],
  csv: ['--csv', always],
  'csv-separator': ['--csv --csv-separator ;', ['--csv-separator ;', '--csv']],
  'metrics-port': ['--metrics-port 9464', always],
  quiet: ['--quiet', always],
  'dry-run': ['--dry-run', always],
  'print-config': ['--print-config', always],
  'list-presets': ['--list-presets', always],
  anatomy: ['--anatomy', ['--anatomy --rate 100', 'the workload rtt, and no --rate']],
  payload: [
    '--payload 1kb',
    ['--payload 1kb --workload recordset', 'a workload that sends payloads of a given size'],
  ],
  'payload-file': [
    '--payload-file f',
    ['--payload-file f --workload recordset', 'a workload that sends payloads of a given size'],
  ],
  workload: ['--workload rtt', always],
  samples: [
    '--samples 100',
    ['--samples 100 --find-max-rate 10ms', 'a workload that ends after a given number of messages'],
  ],
  duration: ['--duration 2s', ['--duration 2s --workload queue', 'a workload that ends after a given time']],
  warmup: ['--warmup 500', always],
  timeout: ['--timeout 1s', always],
  seed: ['--seed 2', always],
  'tcp-no-delay': ['--tcp-no-delay off', always],
  'keep-memory': ['--keep-memory off', always],
  runtime: [
    '--runtime bun,node@22/deno',
    ['--transport tcp --runtime bun --client-on other', 'roles of perf-battle on this host'],
  ],
  profile: ['--profile', always],
  'server-port': [
    '--server-port 3001',
    [
      '--server-port 3001 --workload queue',
      'a workload with a server, and a transport that connects to it directly',
    ],
  ],
  'server-address': [
    '--server-on a --server-address 10.0.0.1',
    ['--server-address 10.0.0.1', 'a workload with a server, and --client-on, --server-on or --broker-on'],
  ],
  window: [
    '--workload pipeline --window 16',
    ['--window 16', 'a workload with several messages in flight, such as pipeline, or --rate'],
  ],
  clients: ['--clients 2', always],
  servers: [
    '--servers 2',
    ['--servers 2 --workload queue', 'a workload with a server, and a broker or at least as many --clients'],
  ],
  rate: ['--rate 100', ['--rate 100 --workload pipeline', 'the workload rtt or stream']],
  arrivals: ['--rate 100 --arrivals poisson', ['--arrivals poisson', '--rate or --find-max-rate']],
  'find-max-rate': [
    '--find-max-rate 10ms',
    ['--find-max-rate 10ms --workload pipeline', 'the workload max-rate'],
  ],
  reply: [
    '--reply increment',
    [
      '--reply increment --workload stream',
      'the workload rtt, pipeline, cached or max-rate, and --url for any and status',
    ],
  ],
  verify: [
    '--workload pipeline --verify all',
    ['--verify all', 'a workload with several messages in flight, such as pipeline, or --rate'],
  ],
  retries: [
    '--retries 1',
    ['--retries 1 --rate 100', 'the workload rtt, pipeline, cached or recordset, and no --rate'],
  ],
  pairwise: ['--workload queue --pairwise', ['--pairwise on', 'the workload queue']],
  'closing-call': ['--workload stream --closing-call', ['--closing-call on', 'the workload stream']],
  'hit-ratio': ['--workload cached --hit-ratio 0.5', ['--hit-ratio 50%', 'the workload cached']],
  'cache-in': ['--workload cached --cache-in lmdb', ['--cache-in lmdb', 'the workload cached']],
  rows: ['--workload recordset --rows 8', ['--rows 8', 'the workload recordset']],
  'rows-from': ['--workload recordset --rows-from sqlite', ['--rows-from sqlite', 'the workload recordset']],
  delivery: ['--workload recordset --delivery streamed', ['--delivery preloaded', 'the workload recordset']],
  tls: [
    '--tls on',
    ['--tls on --transport rabbitmq', 'the transport http, http2, grpc, sse, websocket or socketio'],
  ],
  'tls-cert-file': [
    '--tls on --tls-cert-file c --tls-key-file k',
    ['--tls-cert-file c --tls-key-file k', '--tls on'],
  ],
  'tls-key-file': [
    '--tls off,on --tls-cert-file c --tls-key-file k',
    ['--tls-key-file k --tls-cert-file c', '--tls on'],
  ],
  'tls-ca-file': ['--tls on --tls-ca-file c', ['--tls-ca-file c', '--tls on']],
  'tls-client-cert-file': ['--tls on --tls-client-cert-file c', ['--tls-client-cert-file c', '--tls on']],
  'tls-client-key-file': ['--tls on --tls-client-key-file c', ['--tls-client-key-file c', '--tls on']],
  'tls-client-ca-file': ['--tls on --tls-client-ca-file c', ['--tls-client-ca-file c', '--tls on']],
  'http-keep-alive': [
    '--http-keep-alive off',
    ['--http-keep-alive off --transport websocket', 'the transport http or unix'],
  ],
  'http-server': [
    '--http-server fastify',
    ['--http-server node --transport websocket', 'the transport http or unix'],
  ],
  'http-client': [
    '--http-client node',
    ['--http-client node --transport websocket', 'the transport http or unix'],
  ],
  'http-etag': [
    '--http-etag on',
    ['--http-etag on --transport tcp', 'the transport http, and a workload with replies'],
  ],
  'unix-protocol': [
    '--transport unix --unix-protocol raw',
    ['--unix-protocol raw --transport tcp', 'the transport unix'],
  ],
  'worker-transfer': [
    '--transport worker --worker-transfer transfer',
    ['--worker-transfer transfer --transport tcp', 'the transport worker'],
  ],
  'http2-window': [
    '--transport http2 --http2-window 64kb',
    ['--http2-window 64kb --transport http', 'the transport http2'],
  ],
  'grpc-call': [
    '--transport grpc --grpc-call stream',
    [
      '--grpc-call stream --transport grpc --workload stream',
      'the transport grpc, and a workload with replies',
    ],
  ],
  'grpc-channels': [
    '--transport grpc --grpc-channels 2',
    ['--grpc-channels 2 --transport http2', 'the transport grpc'],
  ],
  'grpc-window': [
    '--transport grpc --grpc-window 64kb',
    ['--grpc-window 64kb --transport http2', 'the transport grpc'],
  ],
  'websocket-deflate': [
    '--websocket-deflate on',
    ['--websocket-deflate on --transport http', 'the transport websocket'],
  ],
  'delivery-mode': [
    '--delivery-mode 2',
    ['--delivery-mode 2 --transport http', 'the transport rabbitmq, amqp1, stomp or external'],
  ],
  'rabbitmq-ack': [
    '--rabbitmq-ack manual',
    ['--rabbitmq-ack manual --transport http', 'the transport rabbitmq'],
  ],
  'rabbitmq-prefetch': [
    '--rabbitmq-ack manual --rabbitmq-prefetch 1',
    ['--rabbitmq-prefetch 1', 'the transport rabbitmq with --rabbitmq-ack manual'],
  ],
  'rabbitmq-confirms': [
    '--rabbitmq-confirms on',
    ['--rabbitmq-confirms on --rabbitmq-tx on', 'the transport rabbitmq without --rabbitmq-tx on'],
  ],
  'rabbitmq-tx': ['--rabbitmq-tx on', ['--rabbitmq-tx on --transport http', 'the transport rabbitmq']],
  'rabbitmq-queue-type': [
    '--rabbitmq-queue-type quorum',
    ['--rabbitmq-queue-type quorum --transport http', 'the transport rabbitmq, amqp1 or stomp'],
  ],
  'rabbitmq-stream-batch': [
    '--transport rabbitmq-stream --rabbitmq-stream-batch 10',
    ['--rabbitmq-stream-batch 10', 'the transport rabbitmq-stream'],
  ],
  'rabbitmq-stream-port': [
    '--rabbitmq-url amqp://host --transport rabbitmq-stream --rabbitmq-stream-port 5553',
    [
      '--transport rabbitmq-stream --rabbitmq-stream-port 5553 --broker private',
      'a transport that uses RabbitMQ, and a broker that --broker, --rabbitmq-url or --rabbitmq-host names',
    ],
  ],
  'rabbitmq-stomp-port': [
    '--rabbitmq-url amqp://host --transport stomp --rabbitmq-stomp-port 61615',
    [
      '--transport stomp --rabbitmq-stomp-port 61615 --broker private',
      'a transport that uses RabbitMQ, and a broker that --broker, --rabbitmq-url or --rabbitmq-host names',
    ],
  ],
  'stomp-receipts': [
    '--transport stomp --stomp-receipts off',
    ['--stomp-receipts off --transport rabbitmq', 'the transport stomp'],
  ],
  'stomp-prefetch': [
    '--transport stomp --stomp-prefetch 10',
    [
      '--transport stomp --stomp-receipts off --stomp-prefetch 10',
      'the transport stomp with --stomp-receipts on',
    ],
  ],
  'rabbitmq-mqtt-port': [
    '--rabbitmq-url amqp://host --transport mqtt --mqtt-broker rabbitmq --rabbitmq-mqtt-port 1884',
    [
      '--transport mqtt --mqtt-broker rabbitmq --rabbitmq-mqtt-port 1884 --broker private',
      'a transport that uses RabbitMQ, and a broker that --broker, --rabbitmq-url or --rabbitmq-host names',
    ],
  ],
  'mqtt-broker': [
    '--transport mqtt --mqtt-broker rabbitmq',
    ['--mqtt-broker rabbitmq', 'the transport mqtt'],
  ],
  'amqp1-settled': [
    '--transport amqp1 --amqp1-settled on',
    ['--amqp1-settled on --transport rabbitmq', 'the transport amqp1'],
  ],
  'amqp1-credit': ['--transport amqp1 --amqp1-credit 10', ['--amqp1-credit 10', 'the transport amqp1']],
  'broker-nodes': [
    '--broker-nodes 3',
    ['--broker-nodes 3 --transport http', 'a private broker, and a transport that uses RabbitMQ'],
  ],
  'rabbitmq-reply': [
    '--rabbitmq-reply direct',
    ['--rabbitmq-reply direct --workload stream', 'the transport rabbitmq, and a workload with replies'],
  ],
  'rabbitmq-heartbeat': [
    '--rabbitmq-heartbeat 5',
    ['--rabbitmq-heartbeat 5 --transport http', 'the transport rabbitmq'],
  ],
  'rabbitmq-home': [
    '--rabbitmq-home installed',
    ['--rabbitmq-home 4 --transport http', 'a private broker, and a transport that uses RabbitMQ'],
  ],
  'rabbitmq-url': [
    '--rabbitmq-url amqp://host',
    [
      '--rabbitmq-url amqp://user:***@host --broker private',
      'a transport that uses RabbitMQ, with --broker auto',
    ],
  ],
  'rabbitmq-host': [
    '--rabbitmq-host b',
    [
      '--rabbitmq-host b --broker private',
      'a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url',
    ],
  ],
  'rabbitmq-port': [
    '--rabbitmq-port 5673',
    [
      '--rabbitmq-port 5673 --rabbitmq-url amqp://host',
      'a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url',
    ],
  ],
  'rabbitmq-username': [
    '--rabbitmq-username u',
    [
      '--rabbitmq-username u --transport http',
      'a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url',
    ],
  ],
  'rabbitmq-password': [
    '--rabbitmq-password *',
    [
      '--rabbitmq-password *** --broker amqp://host',
      'a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url',
    ],
  ],
  'rabbitmq-vhost': [
    '--rabbitmq-vhost v',
    [
      '--rabbitmq-vhost v --transport tcp',
      'a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url',
    ],
  ],
  'rabbitmq-ca-file': [
    '--rabbitmq-ca-file c --broker amqps://host',
    [
      '--rabbitmq-ca-file c --broker amqp://host',
      'the transport rabbitmq and an amqps:// URL in --broker or --rabbitmq-url',
    ],
  ],
  ...Object.fromEntries(
    ['rabbitmq-cert-file', 'rabbitmq-key-file'].map((name) => [
      name,
      [
        `--${name} c --broker AMQPS://host`,
        [
          `--${name} c --broker amqp://host`,
          'the transport rabbitmq and an amqps:// URL in --broker or --rabbitmq-url',
        ],
      ],
    ]),
  ),
  'rabbitmq-exchange': [
    '--rabbitmq-exchange e',
    ['--rabbitmq-exchange e --workload queue', 'the transport rabbitmq, and a workload with a server'],
  ],
  'rabbitmq-queue': [
    '--rabbitmq-queue q',
    [
      '--rabbitmq-queue q --transport http',
      'the transport rabbitmq, amqp1, rabbitmq-stream, stomp, mqtt or external',
    ],
  ],
  'nats-url': [
    '--transport nats --nats-url nats://host',
    [
      '--nats-url nats://user:***@host --transport rabbitmq',
      'a transport that uses NATS, with --broker auto',
    ],
  ],
  'nats-host': [
    '--transport nats --nats-host b',
    ['--nats-host b', 'a transport that uses NATS, with --broker auto and no --nats-url'],
  ],
  'nats-port': [
    '--transport nats --nats-port 4223',
    [
      '--nats-port 4223 --transport nats --broker private',
      'a transport that uses NATS, with --broker auto and no --nats-url',
    ],
  ],
  'nats-username': [
    '--transport nats --nats-username u',
    ['--nats-username u', 'a transport that uses NATS, with --broker auto and no --nats-url'],
  ],
  'nats-password': [
    '--transport nats --nats-username u --nats-password *',
    [
      '--nats-password *** --transport nats --nats-url nats://host',
      'a transport that uses NATS, with --broker auto and no --nats-url',
    ],
  ],
  'nats-token': [
    '--transport nats --nats-token *',
    ['--nats-token ***', 'a transport that uses NATS, with --broker auto and no --nats-url'],
  ],
  ...Object.fromEntries(
    ['nats-ca-file', 'nats-cert-file', 'nats-key-file'].map((name) => [
      name,
      [
        `--transport nats --${name} c --broker tls://host`,
        [
          `--transport nats --${name} c --broker private`,
          'a transport that uses NATS, and a server that --broker, --nats-url or --nats-host names',
        ],
      ],
    ]),
  ),
  'nats-subject': [
    '--transport nats --nats-subject s',
    ['--nats-subject s', 'the transport nats, jetstream or external'],
  ],
  'jetstream-storage': [
    '--transport jetstream --jetstream-storage file',
    ['--jetstream-storage file', 'the transport jetstream'],
  ],
  'jetstream-sync': [
    '--transport jetstream --jetstream-sync always',
    [
      '--transport jetstream --jetstream-storage memory --jetstream-sync always',
      'the transport jetstream with --jetstream-storage file',
    ],
  ],
  'mqtt-qos': ['--transport mqtt --mqtt-qos 2', ['--mqtt-qos 2', 'the transport mqtt']],
  'mqtt-persistence': [
    '--transport mqtt --mqtt-persistence changes',
    ['--mqtt-persistence changes', 'the transport mqtt'],
  ],
  'mosquitto-url': [
    '--transport mqtt --mosquitto-url mqtt://host',
    [
      '--mosquitto-url mqtt://user:***@host --transport nats',
      'a transport that uses Mosquitto, with --broker auto',
    ],
  ],
  ...Object.fromEntries(
    [
      ['mosquitto-host', 'b'],
      ['mosquitto-port', '1884'],
      ['mosquitto-username', 'u'],
    ].map(([name, value]) => [
      name,
      [
        `--transport mqtt --${name} ${value}`,
        [`--${name} ${value}`, 'a transport that uses Mosquitto, with --broker auto and no --mosquitto-url'],
      ],
    ]),
  ),
  'mosquitto-password': [
    '--transport mqtt --mosquitto-username u --mosquitto-password *',
    [
      '--mosquitto-password *** --transport mqtt --mosquitto-url mqtt://host',
      'a transport that uses Mosquitto, with --broker auto and no --mosquitto-url',
    ],
  ],
  ...Object.fromEntries(
    ['mosquitto-ca-file', 'mosquitto-cert-file', 'mosquitto-key-file'].map((name) => [
      name,
      [
        `--transport mqtt --${name} c --broker mqtts://host`,
        [
          `--transport mqtt --${name} c --broker private`,
          'a transport that uses Mosquitto, and a broker that --broker, --mosquitto-url or --mosquitto-host names',
        ],
      ],
    ]),
  ),
  'mosquitto-topic': [
    '--transport mqtt --mosquitto-topic t',
    ['--mosquitto-topic t', 'the transport mqtt or external'],
  ],
  'redis-via': [
    '--transport redis --redis-via stream',
    ['--redis-via stream --transport http', 'the transport redis'],
  ],
  'redis-appendfsync': [
    '--transport redis --redis-appendfsync always',
    [
      '--redis-appendfsync always --transport redis --redis-via pubsub',
      'the transport redis, and lists or streams',
    ],
  ],
  'redis-url': [
    '--transport redis --redis-url redis://host',
    [
      '--redis-url redis://user:***@host --transport rabbitmq',
      'a transport that uses Redis, with --broker auto',
    ],
  ],
  'redis-host': [
    '--transport redis --redis-host b',
    ['--redis-host b', 'a transport that uses Redis, with --broker auto and no --redis-url'],
  ],
  'redis-port': [
    '--transport redis --redis-port 6380',
    [
      '--redis-port 6380 --transport redis --broker private',
      'a transport that uses Redis, with --broker auto and no --redis-url',
    ],
  ],
  'redis-username': [
    '--transport redis --redis-username u --redis-password *',
    ['--redis-username u', 'a transport that uses Redis, with --broker auto and no --redis-url'],
  ],
  'redis-password': [
    '--transport redis --redis-password *',
    [
      '--redis-password *** --transport redis --redis-url redis://host',
      'a transport that uses Redis, with --broker auto and no --redis-url',
    ],
  ],
  ...Object.fromEntries(
    ['redis-ca-file', 'redis-cert-file', 'redis-key-file'].map((name) => [
      name,
      [
        `--transport redis --${name} c --broker rediss://host`,
        [
          `--transport redis --${name} c --broker private`,
          'a transport that uses Redis, and a server that --broker, --redis-url or --redis-host names',
        ],
      ],
    ]),
  ),
  'redis-prefix': [
    '--transport redis --redis-prefix p',
    ['--redis-prefix p', 'the transport redis or external'],
  ],
  'kafka-acks': ['--transport kafka --kafka-acks 1', ['--kafka-acks 1', 'the transport kafka']],
  'kafka-linger': ['--transport kafka --kafka-linger 5', ['--kafka-linger 5', 'the transport kafka']],
  'kafka-flush': ['--transport kafka --kafka-flush always', ['--kafka-flush always', 'the transport kafka']],
  'kafka-url': [
    '--transport kafka --kafka-url kafka://host',
    [
      '--kafka-url kafka://user:***@host --transport rabbitmq',
      'a transport that uses Kafka, with --broker auto',
    ],
  ],
  ...Object.fromEntries(
    [
      ['kafka-host', 'b'],
      ['kafka-port', '9093'],
    ].map(([name, value]) => [
      name,
      [
        `--transport kafka --${name} ${value}`,
        [
          `--transport kafka --broker private --${name} ${value}`,
          'a transport that uses Kafka, with --broker auto and no --kafka-url',
        ],
      ],
    ]),
  ),
  'kafka-username': [
    '--transport kafka --kafka-username u --kafka-password *',
    ['--kafka-username u', 'a transport that uses Kafka, with --broker auto and no --kafka-url'],
  ],
  'kafka-password': [
    '--transport kafka --kafka-username u --kafka-password *',
    [
      '--kafka-password *** --transport kafka --kafka-url kafka://host',
      'a transport that uses Kafka, with --broker auto and no --kafka-url',
    ],
  ],
  ...Object.fromEntries(
    [
      ['kafka-sasl-mechanism', 'scram-sha-256'],
      ['kafka-ca-file', 'c'],
      ['kafka-cert-file', 'c'],
      ['kafka-key-file', 'c'],
    ].map(([name, value]) => [
      name,
      [
        `--transport kafka --${name} ${value} --broker kafka+ssl://host`,
        [
          `--transport kafka --${name} ${value} --broker private`,
          'a transport that uses Kafka, and a broker that --broker, --kafka-url or --kafka-host names',
        ],
      ],
    ]),
  ),
  'kafka-prefix': [
    '--transport kafka --kafka-prefix p',
    ['--kafka-prefix p', 'the transport kafka or external'],
  ],
  'amqp1-broker': [
    '--transport amqp1 --amqp1-broker rabbitmq,artemis',
    ['--amqp1-broker artemis --transport rabbitmq', 'the transport amqp1'],
  ],
  'artemis-journal': [
    '--transport amqp1 --amqp1-broker artemis --artemis-journal asyncio',
    ['--transport amqp1 --artemis-journal asyncio', '--amqp1-broker artemis, and a private broker'],
  ],
  'artemis-url': [
    '--transport amqp1 --amqp1-broker artemis --artemis-url amqp://host',
    [
      '--artemis-url amqp://user:***@host --transport amqp1',
      'a transport that uses Artemis, with --broker auto',
    ],
  ],
  ...Object.fromEntries(
    [
      ['artemis-host', 'b'],
      ['artemis-port', '5672'],
      ['artemis-username', 'u'],
      ['artemis-password', '***'],
    ].map(([name, value]) => [
      name,
      [
        `--transport amqp1 --amqp1-broker artemis --${name} ${value}`,
        [
          `--transport amqp1 --amqp1-broker artemis --broker private --${name} ${value}`,
          'a transport that uses Artemis, with --broker auto and no --artemis-url',
        ],
      ],
    ]),
  ),
  ...Object.fromEntries(
    ['artemis-ca-file', 'artemis-cert-file', 'artemis-key-file'].map((name) => [
      name,
      [
        `--transport amqp1 --amqp1-broker artemis --${name} c --artemis-url amqps://host`,
        [
          `--transport amqp1 --amqp1-broker artemis --${name} c --broker private`,
          '--amqp1-broker artemis, and a broker that --artemis-url or --artemis-host names',
        ],
      ],
    ]),
  ),
  'artemis-prefix': [
    '--transport amqp1 --amqp1-broker artemis --artemis-prefix p',
    ['--artemis-prefix p', 'the transport amqp1 or external'],
  ],
  'udp-batch': [
    '--transport udp --udp-batch off --workload stream',
    ['--udp-batch off', 'the transport udp, and a workload with one-way messages'],
  ],
  subscribers: ['--workload fan-out --subscribers 3', ['--subscribers 3', 'the workload fan-out']],
  url: ['--url http=http://a/', null],
  'url-method': [
    '--url http=http://a/ --url-method GET --payload 1kb',
    ['--url websocket=ws://a/ --transport by-url --url-method GET', '--url with an HTTP server'],
  ],
  'url-message': [
    '--url grpc=grpc://a/echo.Echo/Say --url-message whole',
    ['--url http=http://a/ --transport by-url --url-message whole', '--url with a gRPC server'],
  ],
  'url-headers': [
    '--url http=http://a/ --url-headers headers',
    ['--transport tcp --url-headers headers', '--url'],
  ],
  'url-ca-file': [
    '--url http=https://a/ --url-ca-file ca.pem',
    ['--transport tcp --url-ca-file ca.pem', '--url with TLS'],
  ],
  'url-requests': ['--url http=http://a/ --url-requests 9', ['--transport tcp --url-requests 9', '--url']],
  'udp-datagram': ['--transport udp --udp-datagram 9000', ['--udp-datagram 9000', 'the transport udp']],
};

test('of every option it is stated in which battle it has an effect', () => {
  assert.deepEqual(Object.keys(battles).toSorted(), optionsOfBattle.map(({name}) => name).toSorted());
});

for (const [name, [accepted, refused]] of someOf(Object.entries(battles))) {
  test(`--${name} has an effect in: ${accepted}`, () => {
    assert.match(accepted, new RegExp(`--${name}\\b`));
    assert.deepEqual(check(accepted), []);
  });

  if (refused === null) continue;
  const [commandLine, needs] = refused;
  test(`--${name} is refused in: ${commandLine}`, () => {
    const [given] = /--[\w-]+(?: [^-]\S*)?/.exec(commandLine.slice(commandLine.indexOf(`--${name}`))) ?? [];
    assert.throws(
      () => check(commandLine),
      (error) => {
        assert.ok(error instanceof UsageError, String(error));
        const shown = given?.includes(' ') ? given : `${given} on`;
        const sentences = error.message.split('\n');
        assert.ok(sentences.includes(`${shown} has no effect here: it needs ${needs}.`), error.message);
        return true;
      },
    );
  });
}

/** Other battles without an effect of the option. @type {[string, string][]} */
const alsoRefused = [
  ['pair-per', '--pair-per cell --rate 100'],
  ['retries', '--retries 1 --find-max-rate 10ms'],
  ['server-address', '--server-address 10.0.0.1 --server-on a --workload queue'],
  ['rabbitmq-exchange', '--rabbitmq-exchange e --transport tcp --external A=a,b --broker-kind rabbitmq'],
  ['bands', '--bands --workload stream'],
  ['histogram', '--histogram --workload queue,stream'],
  ['servers', '--servers 2 --transport tcp'],
  ['server-on', '--server-on a,b --servers 1 --transport rabbitmq'],
  ['servers', '--servers 1,2 --transport http,websocket'],
  ['servers', '--servers 3 --clients 2 --transport udp,posix-mq,shared-memory'],
];

for (const [name, commandLine] of alsoRefused) {
  test(`--${name} is refused in: ${commandLine}`, () => {
    const needs = battles[name][1]?.[1];
    assert.throws(
      () => check(commandLine),
      ({message}) => message.startsWith(`--${name} `) && message.endsWith(` it needs ${needs}.`),
    );
  });
}

/** @type {string[]} */
const alsoAccepted = [
  '--servers 2 --transport tcp --clients 2',
  '--servers 2 --transport tcp --clients 1,2',
  '--servers 1,2 --transport nats',
  '--server-on a,b --transport rabbitmq',
  '--server-on a,b --client-on c,d --transport tcp',
  '--server-on a,b --clients 2 --transport http',
  '--bands --histogram --workload stream --rate 100',
  '--bands --histogram --workload queue --pairwise on',
  '--bands --workload queue,pipeline',
  '--servers 2 --external A=a,b --transport external',
];

for (const commandLine of alsoAccepted)
  test(`each option has an effect in: ${commandLine}`, () => assert.deepEqual(check(commandLine), []));

test('--quick shortens the warm-up of choose, unless that is given, too', () => {
  const commandLine = '--rate 200 --p99 10ms --quick --rounds 3 --duration 1s';
  check(commandLine, {mine: optionsOfChoose});
  assert.throws(() => check(`${commandLine} --warmup 1s`, {mine: optionsOfChoose}), {code: 'PB_USAGE'});
});

test('a variable without an effect makes a warning: it may be there for another battle or a script by hand', () => {
  const environment = {PB_WINDOW: '16', PB_SERVER_PORT: '3000'};
  const envFile = {PB_RABBITMQ_HOST: 'b', PB_RABBITMQ_PASSWORD: 'T0p-secret', PB_SERVER_HOST: 'a'};
  assert.deepEqual(check('--transport http', {environment, envFile}), [
    'PB_SERVER_HOST in .env (a) has no effect here: it needs a workload with a server, and --client-on, --server-on or --broker-on. It is ignored.',
    'PB_WINDOW (16) has no effect here: it needs a workload with several messages in flight, such as pipeline, or --rate. It is ignored.',
    'PB_RABBITMQ_HOST in .env (b) has no effect here: it needs a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url. It is ignored.',
    'PB_RABBITMQ_PASSWORD in .env (***) has no effect here: it needs a transport that uses RabbitMQ, with --broker auto and no --rabbitmq-url. It is ignored.',
  ]);
});

test('a way of returning replies has an effect on a stream only with a closing call, and none on a queue', () => {
  const stream = '--transport rabbitmq --workload stream --rabbitmq-reply direct';
  assert.deepEqual(check(`${stream} --closing-call on`), []);
  for (const workload of ['queue', 'queue,stream'])
    assert.throws(() => check(stream.replace('stream', workload)), {code: 'PB_USAGE'});
});

test('what a preset or a default says needs no effect', () => {
  assert.deepEqual(check('--preset endurox-rpc --transport tcp'), []);
});

test('an option that has an effect on one of several workloads or transports is accepted', () => {
  assert.deepEqual(check('--workload rtt,pipeline --window 16'), []);
  assert.deepEqual(check('--transport http,rabbitmq --tls on'), []);
});

test('what a transport or a workload ignores is a setting', () => {
  const keys = new Set(allOptions.map(({key}) => String(key)));
  const variants = [
    {},
    {acknowledgement: 'auto', transactions: true, tls: false, rate: 100},
    {acknowledgement: 'manual', transactions: false, tls: true, rate: null},
  ];
  for (const {name, ignores} of [...transports, ...Object.values(workloads)])
    for (const variant of variants)
      for (const key of ignores?.(/** @type {any} */ (variant)) ?? [])
        assert.ok(keys.has(key), `${name}: ${key}`);
});
