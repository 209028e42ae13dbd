import assert from 'node:assert/strict';
import {afterEach, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {startStallingProxy} from '../support/stalling-proxy.js';

/**
 * @import {Program} from '../support/program.js'
 * @import {Workplace} from '../support/workplace.js'
 * @import {Channel} from 'amqplib'
 */

const short = {PB_SAMPLES: '60', PB_WARMUP: '20'};
const name = 'hand';
const names = {PB_RABBITMQ_QUEUE: `${name}-queue`, PB_RABBITMQ_EXCHANGE: `${name}-exchange`};

describe('the RabbitMQ pair on its broker', {timeout: 1_200_000}, () => {
  const broker = sharedBroker({hasVirtualHost: true});
  const environment = () => ({...broker().environment, ...names, ...short});

  /** @param {Workplace} workplace @param {NodeJS.ProcessEnv} [more] */
  async function startServer(workplace, more = {}) {
    const server = workplace.start('rabbitmq-server', [], {...environment(), ...more});
    await server.says(/RabbitMQ server ready/);
    return server;
  }

  /** @param {Program} program */
  async function end({child, ended}) {
    child.kill('SIGTERM');
    return (await ended).code;
  }

  const queues = async () => (await broker().list('queues', ['name', 'durable', 'type'])).sort();

  async function topology() {
    const found = await queues();
    const exchanges = await broker().list('exchanges', ['name', 'type', 'durable']);
    return {queues: found, exchanges: exchanges.filter(([exchange]) => exchange.startsWith('hand'))};
  }

  afterEach(removeTopology);

  it(
    'makes two durable direct exchanges and a durable queue each way, and leaves none of them',
    inAWorkplace(async (workplace) => {
      const server = await startServer(workplace);
      const client = workplace.start('rabbitmq-client', [], {...environment(), PB_SAMPLES: '1000000'});
      await broker().withChannel(untilReplyQueueSeen);
      const {queues: durable, exchanges} = await topology();
      assert.deepEqual(exchanges.sort(), [
        ['hand-exchange-replies', 'direct', 'true'],
        ['hand-exchange-requests', 'direct', 'true'],
      ]);
      const [[replies, ...replySettings], requests, ...more] = durable;
      assert.match(replies, /^hand-queue-replies-[\da-f-]{36}$/);
      assert.deepEqual(replySettings, ['true', 'classic']);
      assert.deepEqual(requests, ['hand-queue-requests', 'true', 'classic']);
      assert.deepEqual(more, []);

      assert.equal(await end(client), 143);
      assert.equal((await queues()).length, 1, 'the client has taken its reply queue with it');
      assert.equal(await end(server), 143);
      assert.deepEqual(await topology(), {queues: [], exchanges: []});
    }),
  );

  it(
    'leaves nothing when several servers end together',
    inAWorkplace(async (workplace) => {
      const servers = await Promise.all([1, 2, 3].map(() => startServer(workplace)));
      await assertCleanRun(workplace, {});
      assert.deepEqual(await Promise.all(servers.map(end)), [143, 143, 143]);
      assert.deepEqual(await topology(), {queues: [], exchanges: []});
    }),
  );

  it(
    'leaves the queue to the server that goes on',
    inAWorkplace(async (workplace) => {
      const [first] = [await startServer(workplace), await startServer(workplace)];
      assert.equal(await end(first), 143);
      await assertCleanRun(workplace, {});
    }),
  );

  it(
    'has the reply queue of a killed client gone by itself',
    inAWorkplace(async (workplace) => {
      await startServer(workplace);
      const client = workplace.start('rabbitmq-client', [], {...environment(), PB_SAMPLES: '1000000'});
      await broker().withChannel(untilReplyQueueSeen);
      client.child.kill('SIGKILL');
      await client.ended;
      const deadline = Date.now() + 5000;
      let left = await queues();
      while (left.length > 1 && Date.now() < deadline) {
        await sleep(500);
        left = await queues();
      }
      assert.deepEqual(left, [['hand-queue-requests', 'true', 'classic']]);
    }),
  );

  it(
    'leaves nothing on the broker when a client has waited in vain for a server',
    inAWorkplace(async (workplace) => {
      const client = await workplace.run('rabbitmq-client', [], {
        ...environment(),
        PB_CONNECT_TIMEOUT: '300ms',
      });
      assert.equal(client.code, 1);
      assert.deepEqual(await topology(), {queues: [], exchanges: []});
    }),
  );

  for (const settings of [
    {PB_RABBITMQ_DELIVERY_MODE: '2'},
    {PB_RABBITMQ_DELIVERY_MODE: '2', PB_RABBITMQ_ACK: 'manual'},
    {PB_RABBITMQ_DELIVERY_MODE: '2', PB_RABBITMQ_CONFIRMS: 'on'},
  ]) {
    it(
      `never counts what an earlier pair left that was killed in the middle of a run: ${Object.values(settings)}`,
      inAWorkplace(async (workplace) => {
        const server = await startServer(workplace, settings);
        const running = {...environment(), ...settings, PB_SAMPLES: '1000000'};
        const client = workplace.start('rabbitmq-client', [], running);
        await broker().withChannel(untilReplyQueueSeen);
        // With the server gone first, the client's last request stays in the durable queue.
        server.child.kill('SIGKILL');
        await server.ended;
        await sleep(50);
        client.child.kill('SIGKILL');
        await client.ended;
        await leaveStaleRequests(5);

        const next = await startServer(workplace, {...settings, PB_OUTPUT: 'text'});
        await assertCleanRun(workplace, settings);
        assert.equal(await end(next), 143);
      }),
    );
  }

  it(
    'is not disturbed by strays in its queues while it runs',
    inAWorkplace(async (workplace) => {
      const server = await startServer(workplace);
      const running = {...environment(), PB_SAMPLES: '2500', PB_OUTPUT: 'ndjson'};
      const client = workplace.start('rabbitmq-client', [], running);
      await broker().withChannel(async (channel) => {
        const replies = await untilReplyQueueSeen(channel);
        assert.match(replies, /^hand-queue-replies-/);
        for (let stray = 0; stray < 20; stray += 1) {
          channel.sendToQueue(replies, Buffer.alloc(1024, stray), {correlationId: `stray ${stray}`});
          channel.sendToQueue(replies, Buffer.from('no correlation id'));
          const toNobody = {replyTo: 'hand-queue-replies-of-nobody', correlationId: '7'};
          channel.sendToQueue('hand-queue-requests', Buffer.alloc(1024, stray), toNobody);
        }
        await channel.waitForConfirms();
        assert.equal(client.child.exitCode, null, 'the client still runs');
      });
      const {code, stdout, stderr} = await client.ended;
      assert.equal(code, 0, `${stderr}${stdout}`);
      assertAllVerified(stdout, 2500);
      assert.equal(await end(server), 143);
    }),
  );

  it(
    'survives a stray request that says neither where to reply nor what it is',
    inAWorkplace(async (workplace) => {
      const server = await startServer(workplace);
      await broker().withChannel(async (channel) => {
        channel.sendToQueue('hand-queue-requests', Buffer.from('a stray'));
        await channel.waitForConfirms();
      });
      await sleep(300);
      assert.equal(server.child.exitCode, null, `the server ended: ${server.output()}`);
      await assertCleanRun(workplace, {});
      assert.equal(await end(server), 143);
    }),
  );

  for (const {workload, refusal} of [
    {
      workload: 'queue',
      refusal:
        /^perf-battle: The broker did not accept the rest for 1200 ms \(12 × --timeout\): 1000 messages in, 0 out\.$/m,
    },
    {
      workload: 'stream',
      refusal:
        /^perf-battle: The receiver accepted nothing for 1200 ms \(12 × --timeout\), after 1000 messages\.$/m,
    },
  ]) {
    it(
      `gives the broker twelve timeouts for what lies in buffers when all is sent: ${workload}`,
      inAWorkplace(async (workplace) => {
        const running = {PB_WORKLOAD: workload, PB_SAMPLES: '1000', PB_WARMUP: '0'};
        const server = workload === 'stream' ? await startServer(workplace, running) : null;
        /** @param {number} forMs @param {string} timeout */
        const clientWith = async (forMs, timeout) => {
          const way = await startStallingProxy(broker().connection, {afterBytes: 500_000, forMs});
          const url = new URL(broker().url());
          url.port = String(way.port);
          const environmentThere = {
            ...environment(),
            ...running,
            PB_RABBITMQ_URL: url.href,
            PB_TIMEOUT: timeout,
          };
          try {
            return await workplace.run('rabbitmq-client', [], environmentThere);
          } finally {
            way.close();
          }
        };
        const patient = await clientWith(2000, '1s');
        assert.equal(patient.code, 0, patient.stderr);
        assert.match(patient.stdout, /^RabbitMQ mode 1, 1kb, 1000 messages/m);
        const given = await clientWith(30_000, '100ms');
        assert.equal(given.code, 1);
        assert.match(given.stderr, refusal);
        if (server) assert.equal(await end(server), 143);
      }),
    );
  }

  it(
    'gives up a part of a queue that makes no progress for --timeout',
    inAWorkplace(async (workplace) => {
      const way = await startStallingProxy(broker().connection, {afterBytes: 500_000, forMs: 30_000});
      const url = new URL(broker().url());
      url.port = String(way.port);
      const pairs = {PB_WORKLOAD: 'queue', PB_PAIRWISE: 'on', PB_SAMPLES: '1000', PB_WARMUP: '0'};
      const place = {PB_RABBITMQ_URL: url.href, PB_TIMEOUT: '400ms'};
      const {code, stderr} = await workplace.run('rabbitmq-client', [], {
        ...environment(),
        ...pairs,
        ...place,
      });
      way.close();
      assert.equal(code, 1, stderr);
      assert.match(stderr, /^perf-battle: The queue made no progress for 400 ms \(--timeout\)/m);
    }),
  );

  for (const role of ['server', 'client']) {
    it(
      `ends the ${role} with 3 for a wrong password, which it does not show`,
      inAWorkplace(async (workplace) => {
        const {hostname, port, username} = broker().connection;
        const password = 'Wr0ng-and-secret';
        for (const given of [
          {PB_RABBITMQ_URL: `amqp://${username}:${password}@${hostname}:${port}/`},
          {
            PB_RABBITMQ_HOST: hostname,
            PB_RABBITMQ_PORT: String(port),
            PB_RABBITMQ_USERNAME: username,
            PB_RABBITMQ_PASSWORD: password,
          },
        ]) {
          for (const output of ['text', 'ndjson']) {
            const ended = await workplace.run(`rabbitmq-${role}`, [], {...given, PB_OUTPUT: output});
            assert.equal(ended.code, 3);
            const said = `${ended.stdout}${ended.stderr}`;
            assert.match(said, new RegExp(`broker at ${hostname}:${port} refused user .*perf-battle`));
            assert.ok(!said.includes(password), said);
          }
        }
      }),
    );
  }

  it(
    'says in one line why a server cannot use a queue that is there with another type',
    inAWorkplace(async (workplace) => {
      const settings = {durable: true, expires: 60_000, arguments: {'x-queue-type': 'quorum'}};
      await broker().withChannel((channel) => channel.assertQueue('hand-queue-requests', settings));
      const {code, stderr} = await workplace.run('rabbitmq-server', [], environment());
      assert.equal(code, 1);
      assert.match(
        stderr,
        /PRECONDITION_FAILED - inequivalent arg 'x-queue-type' for queue 'hand-queue-requests'/,
      );
      assert.doesNotMatch(stderr, /\n\s+at /);
    }),
  );

  it(
    'does not show the password of a URL that it refuses',
    inAWorkplace(async (workplace) => {
      for (const url of [
        'ampq://user:T0p-secret@localhost/',
        'http://user:T0p-secret@localhost/',
        'amqp://user:T0p/T0p-secret@localhost/',
      ]) {
        const {code, stdout, stderr} = await workplace.run('rabbitmq-client', [], {PB_RABBITMQ_URL: url});
        assert.equal(code, 2, stderr);
        assert.ok(!`${stdout}${stderr}`.includes('T0p'), stderr);
      }
    }),
  );

  it(
    'ends the client with 1 when its server goes, and names what was lost',
    inAWorkplace(async (workplace) => {
      const server = await startServer(workplace);
      const running = {...environment(), PB_SAMPLES: '1000000', PB_TIMEOUT: '400ms', PB_OUTPUT: 'ndjson'};
      const client = workplace.start('rabbitmq-client', [], running);
      await client.says(/"event":"ready"/);
      await sleep(200);
      server.child.kill('SIGKILL');
      const {code, stdout} = await client.ended;
      assert.equal(code, 1);
      assert.match(stdout, /"event":"error"/);
    }),
  );

  /** @param {number} count */
  async function leaveStaleRequests(count) {
    await broker().withChannel(async (channel) => {
      for (let index = 0; index < count; index += 1) {
        const properties = {replyTo: 'hand-queue-replies-earlier', correlationId: '1', deliveryMode: 2};
        channel.publish('hand-exchange-requests', 'request', Buffer.alloc(1024, index), properties);
      }
      await channel.waitForConfirms();
      const {messageCount} = await channel.checkQueue('hand-queue-requests');
      assert.ok(messageCount >= count, 'they wait in the durable queue');
    });
  }

  /** @param {Workplace} workplace @param {NodeJS.ProcessEnv} settings */
  async function assertCleanRun(workplace, settings) {
    const running = {...environment(), ...settings, PB_OUTPUT: 'ndjson'};
    const {code, stdout, stderr} = await workplace.run('rabbitmq-client', [], running);
    assert.equal(code, 0, `${stderr}${stdout}`);
    assertAllVerified(stdout, 60);
  }

  /** Listens in on the requests for the queue that their replies go to. @param {Channel} channel */
  async function untilReplyQueueSeen(channel) {
    const {queue} = await channel.assertQueue('', {exclusive: true});
    await channel.bindQueue(queue, 'hand-exchange-requests', 'request');
    /** @type {string} */
    const replyTo = await new Promise((resolve) => {
      channel.consume(queue, (message) => message && resolve(message.properties.replyTo), {noAck: true});
    });
    await channel.deleteQueue(queue);
    return replyTo;
  }

  /** Save a killed client's reply queue, which goes by itself. */
  async function removeTopology() {
    await broker().withChannel(async (channel) => {
      await channel.deleteQueue('hand-queue-requests');
      for (const way of ['requests', 'replies']) await channel.deleteExchange(`hand-exchange-${way}`);
    });
  }
});

/** @param {string} stdout of a client @param {number} count */
function assertAllVerified(stdout, count) {
  const lines = stdout.trimEnd().split('\n');
  const {event, counts, rtt} = JSON.parse(/** @type {string} */ (lines.at(-1)));
  assert.equal(event, 'result');
  assert.deepEqual(counts, {
    ...{sent: count, received: count, lost: 0, verified: count},
    ...{duplicated: 0, reordered: 0, corrupted: 0, retried: 0, timedOut: 0},
  });
  assert.equal(rtt.samples, count);
}
