import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {cellRecord} from '../../../src/results/record-schema.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {usedTrials} from '../support/used-trials.js';

/** @import {Workplace} from '../support/workplace.js' */

const quick = ['--payload', '1kb', '--rounds', '1', '--warmup', '100', '--json', '--quiet'];

/**
 * @param {Workplace} workplace
 * @param {string[]} parameters
 * @param {NodeJS.ProcessEnv} [environment]
 */
async function battle(workplace, parameters, environment) {
  const {code, stdout, stderr} = await workplace.battle([...quick, ...parameters], environment);
  assert.equal(code, 0, stderr);
  /** @type {any[]} */
  const cells = JSON.parse(stdout).cells;
  for (const cell of cells) {
    cellRecord.parse(cell);
    assert.equal(cell.outcome, 'completed', JSON.stringify(cell));
    assert.equal(cell.counts.sent, cell.counts.received + cell.counts.lost);
    assert.deepEqual([cell.counts.lost, cell.counts.corrupted, cell.counts.duplicated], [0, 0, 0]);
  }
  return cells;
}

describe('a workload', {timeout: 1_200_000, concurrency: 1}, () => {
  const broker = sharedBroker({hasVirtualHost: true});
  const all = ['--transport', 'http,websocket,rabbitmq', '--http-server', 'node', '--delivery-mode', '1'];

  it(
    'with --anatomy, the ways to the server and back, and its handler, are together the mean',
    inAWorkplace(async (workplace) => {
      const cells = await battle(
        workplace,
        [...all, '--anatomy', '--reply', 'increment', '--samples', '1000'],
        broker().environment,
      );
      assert.equal(cells.length, 4);
      for (const {anatomy, rtt, transport} of cells) {
        const {request, handler, reply, clockBoundMs} = anatomy;
        const sum = request.meanMs + handler.meanMs + reply.meanMs;
        assert.ok(Math.abs(sum / rtt.meanMs - 1) < 0.001, `${transport}: ${sum} of ${rtt.meanMs}`);
        for (const part of [request, handler, reply]) assert.ok(part.meanMs > 0, transport);
        assert.ok(handler.meanMs < request.meanMs && handler.meanMs < reply.meanMs, transport);
        assert.equal(clockBoundMs, 0);
      }
    }),
  );

  it(
    'fan-out reaches all subscribers, by the server of a pair or by a broker, which keeps nothing of it',
    inAWorkplace(async (workplace) => {
      const sizes = ['--payload', '100kb', '--subscribers', '2,6'];
      const cells = await battle(
        workplace,
        [
          ...[
            '--transport',
            'http,http2,grpc,websocket,rabbitmq,nats,jetstream,redis,mqtt,kafka',
            '--http-server',
            'express,node',
          ],
          ...['--workload', 'fan-out', '--samples', '40', ...sizes],
        ],
        // With names of a person, pairs that run side by side must not hear each other.
        {
          ...broker().environment,
          PB_NATS_SUBJECT: 'mine',
          PB_REDIS_PREFIX: 'mine',
          PB_KAFKA_PREFIX: 'mine',
          PB_RABBITMQ_EXCHANGE: 'mine',
        },
      );
      // TCP, HTTP with two servers, JetStream with two kinds of storage, MQTT with two QoS, and seven others.
      assert.equal(cells.length, 14 * 4);
      for (const {counts, rtt, transport} of cells)
        assert.deepEqual([counts.received, counts.verified, rtt.samples], [40, 40, 40], transport);
      const exchanges = (await broker().list('exchanges', ['name'])).flat();
      assert.deepEqual(
        exchanges.filter((name) => name !== '' && !name.startsWith('amq.')),
        [],
      );
      const refused = await workplace.battle([...quick, '--transport', 'udp', '--workload', 'fan-out']);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /fan-out.*udp.*cannot broadcast/);
    }),
  );

  it(
    'pipeline keeps no more than a window in flight on every transport',
    inAWorkplace(async (workplace) => {
      const cells = await battle(
        workplace,
        [...all, '--workload', 'pipeline', '--window', '1,32', '--samples', '1000', '--verify', '10'],
        broker().environment,
      );
      assert.equal(cells.length, 8);
      for (const cell of cells) {
        assert.equal(cell.comparedBy, 'rate');
        const count = 1000 * usedTrials(cell);
        assert.deepEqual(
          [cell.counts.sent, cell.rtt.samples, cell.counts.verified],
          [count, count, count / 10],
        );
        const inFlight = (cell.rtt.meanMs * cell.throughput.messagesPerSecond) / 1000;
        assert.ok(inFlight <= 1.05 * cell.variant.window, `${inFlight} of ${cell.variant.window}`);
      }
      const results = await readFile(workplace.file('results.md'), 'utf8');
      assert.match(results, /<!-- perf-battle:results:pipeline -->/);
      assert.match(
        results,
        /\| Id +\| Workload +\| Facilitator +\| Environment +\| Payload Size +\| Persistent +\| msgs\/s /,
      );
    }),
  );

  it(
    'stream is counted and timed by its receiver on every transport',
    inAWorkplace(async (workplace) => {
      const cells = await battle(
        workplace,
        [
          ...all,
          '--workload',
          'stream',
          '--samples',
          '2000',
          '--closing-call',
          'off,on',
          '--rabbitmq-confirms',
          'off,on',
        ],
        broker().environment,
      );
      assert.equal(cells.length, 10);
      for (const cell of cells) {
        const count = 2000 * usedTrials(cell);
        assert.deepEqual([cell.rtt, cell.counts.received, cell.counts.verified], [null, count, count / 100]);
        assert.equal(cell.variant.closingCall, 'sender' in cell.phases);
        assert.equal('window' in cell.variant, cell.transport === 'http' || cell.variant.confirms === true);
      }
    }),
  );

  it(
    'stream and rtt at a rate show response time beside service time and send lag',
    inAWorkplace(async (workplace) => {
      const cells = await battle(workplace, [
        '--transport',
        'websocket',
        '--workload',
        'rtt,stream',
        '--rate',
        '400',
        '--arrivals',
        'constant,poisson',
        '--duration',
        '250ms',
        // Poisson arrivals of this seed, whose number is then no matter of luck.
        '--seed',
        '1',
      ]);
      assert.equal(cells.length, 8);
      for (const {openLoop, latencies, rtt, variant, counts, cpu, trials} of cells) {
        const count = 100 * usedTrials({trials});
        assert.equal(openLoop.offeredPerSecond, 400);
        assert.ok(
          Math.abs(counts.sent - count) <= (variant.arrivals === 'poisson' ? count / 4 : 0),
          String(counts.sent),
        );
        assert.ok(latencies.service.meanMs <= rtt.meanMs + 1e-9);
        assert.ok(
          Math.abs(latencies.service.meanMs + latencies.sendLag.meanMs - rtt.meanMs) <
            0.05 * rtt.meanMs + 0.05,
        );
        assert.equal(cpu.client, null);
      }
    }),
  );

  it(
    'clients at a rate achieve that rate and no higher one, however few messages each sends',
    inAWorkplace(async (workplace) => {
      const load = ['--workload', 'rtt,stream', '--rate', '10', '--clients', '4', '--samples', '1'];
      const cells = await battle(workplace, ['--transport', 'tcp', ...load]);
      for (const {openLoop} of cells) {
        assert.ok(openLoop.achievedPerSecond <= 10 * (1 + 1e-9), String(openLoop.achievedPerSecond));
        // A busy host may be 0.4 s late, which is as long as all messages take.
        assert.ok(openLoop.achievedPerSecond > 5, String(openLoop.achievedPerSecond));
      }
    }),
  );

  it(
    'queue fills and empties a durable queue, in pairs too, with and without confirms, and in transactions',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--workload',
        'queue',
        '--pairwise',
        'off,on',
        '--rabbitmq-confirms',
        'off,on',
        '--rabbitmq-tx',
        'off,on',
        '--samples',
        '300',
      ];
      const cells = await battle(
        workplace,
        [...flags, '--transport', 'rabbitmq', '--delivery-mode', '2'],
        broker().environment,
      );
      assert.equal(cells.length, 6);
      for (const {variant, phases, counts, rtt, trials} of cells) {
        const count = 300 * usedTrials({trials});
        assert.deepEqual([counts.received, counts.verified, counts.reordered], [count, count, 0]);
        assert.deepEqual(Object.keys(phases), variant.pairwise ? [] : ['enqueue', 'dequeue']);
        assert.equal(rtt === null, !variant.pairwise);
      }
      const left = await broker().list('queues', ['name']);
      assert.deepEqual(
        left.filter(([name]) => name.includes('-store-')),
        [],
      );
    }),
  );

  it(
    'with several clients and servers merges what they found',
    inAWorkplace(async (workplace) => {
      const cells = await battle(
        workplace,
        [
          '--transport',
          'http,rabbitmq',
          '--http-server',
          'node',
          '--delivery-mode',
          '1',
          '--workload',
          'rtt,stream',
          '--clients',
          '3',
          '--servers',
          '2',
          '--samples',
          '400',
        ],
        broker().environment,
      );
      assert.equal(cells.length, 6);
      for (const {counts, throughput, labels, rtt, workload, trials} of cells) {
        const count = 3 * 400 * usedTrials({trials});
        assert.equal(counts.received, count);
        assert.deepEqual(labels.settings.slice(-2), ['3 clients', '2 servers']);
        if (workload === 'rtt') {
          assert.equal(rtt.samples, count);
          assert.ok(throughput.messagesPerSecond <= 1.05 * throughput.summedMessagesPerSecond);
        }
      }
    }),
  );

  it(
    'over TLS is a variant in the same table',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http,websocket',
        '--http-server',
        'express',
        '--tls',
        'off,on',
        '--workload',
        'rtt,stream',
        '--samples',
        '200',
      ];
      const cells = await battle(workplace, flags);
      assert.equal(cells.length, 2 * (1 + 4));
      for (const {variant, labels} of cells.filter((cell) => cell.transport !== 'tcp')) {
        assert.equal(variant.tls, labels.settings.includes('TLS'));
        assert.equal(variant.tls, /^TLSv1\.[23]$/.test(variant.tlsProtocol ?? ''));
      }
    }),
  );

  it(
    'max-rate finds a rate that holds the bound',
    inAWorkplace(async (workplace) => {
      const flags = ['--transport', 'tcp', '--find-max-rate', '1s', '--duration', '100ms'];
      const cells = await battle(workplace, flags);
      for (const {rtt, throughput, workload} of cells) {
        assert.equal(workload, 'max-rate');
        assert.ok(rtt.p99Ms === null || rtt.p99Ms <= 1000);
        // A busy host stalls any step, hence the wide bound; how high the search climbs is tested where steps are scripted.
        assert.ok(throughput.messagesPerSecond > 0, String(throughput.messagesPerSecond));
      }
    }),
  );

  it(
    'answers with each byte plus one, and a sweep of sizes has a cell for each',
    inAWorkplace(async (workplace) => {
      const flags = [
        '--transport',
        'http,rabbitmq',
        '--http-server',
        'express',
        '--delivery-mode',
        '1',
        '--reply',
        'increment',
      ];
      const {code, stdout, stderr} = await workplace.battle(
        [
          ...flags,
          '--payload',
          '1,15..17',
          '--rounds',
          '1',
          '--samples',
          '30',
          '--warmup',
          '5',
          '--json',
          '--quiet',
        ],
        broker().environment,
      );
      assert.equal(code, 0, stderr);
      /** @type {any[]} */
      const cells = JSON.parse(stdout).cells;
      assert.deepEqual([...new Set(cells.map(({payloadBytes}) => payloadBytes))], [1, 15, 16, 17]);
      for (const {counts, labels, trials, anatomy} of cells) {
        assert.equal(anatomy, null);
        assert.equal(counts.verified, 30 * usedTrials({trials}));
        assert.ok(labels.settings.includes('increment reply'));
      }
    }),
  );
});

describe('a stream by hand', {timeout: 1_200_000}, () => {
  it(
    'is described by its receiver, warm-up and measured part apart',
    inAWorkplace(async (workplace) => {
      const environment = {PB_WORKLOAD: 'stream', PB_SERVER_PORT: '0', PB_WARMUP: '100', PB_SAMPLES: '500'};
      const server = workplace.start('websocket-server', [], environment);
      const [, port] = await server.says(/ready: \S+:(\d+)\./);
      const client = await workplace.run('websocket-client', [], {...environment, PB_SERVER_PORT: port});
      assert.match(client.stdout, /500 messages \(stream\).*\nsent; the server reports what arrived\n/s);
      await server.says(/received 100 messages[\s\S]*received 500 messages, 512000 bytes/);
      assert.match(server.output(), /500 distinct, 0 missing before the last, 0 duplicated, 0 out of order/);
      server.child.kill();
    }),
  );
});

describe('a slow stream by hand', {timeout: 1_200_000}, () => {
  it(
    'is reported again with what came later, and nothing of it is called missing',
    inAWorkplace(async (workplace) => {
      const environment = {PB_WORKLOAD: 'stream', PB_SERVER_PORT: '0'};
      const server = workplace.start('tcp-server', [], environment);
      const [, port] = await server.says(/ready: \S+:(\d+)\./);
      const slow = {PB_SERVER_PORT: port, PB_RATE: '1', PB_SAMPLES: '3', PB_WARMUP: '20'};
      const client = await workplace.run('tcp-client', [], {...environment, ...slow});
      assert.equal(client.code, 0, client.stderr);
      await server.says(
        /received 20 messages[\s\S]*received 1 message, [\s\S]*received 3 messages, 3072 bytes, in [1-9]/,
      );
      assert.doesNotMatch(server.output(), /[1-9]\d* missing/);
      const next = await workplace.run('tcp-client', [], {...environment, ...slow, PB_RATE: '50'});
      assert.equal(next.code, 0, next.stderr);
      await server.says(
        /received 3 messages, [\s\S]*received 20 messages[\s\S]*received 3 messages, 3072 bytes, in 0/,
      );
      server.child.kill();
    }),
  );
});
