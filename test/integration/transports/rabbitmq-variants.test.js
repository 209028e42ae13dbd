import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {cellRecord} from '../../../src/results/record-schema.js';
import {brokerWithTls} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {Workplace} from '../support/workplace.js';

/** @import {CellRecord} from '../../../src/results/record-schema.js' */

const quick = ['--transport', 'rabbitmq', '--payload', '1kb', '--rounds', '1', '--duration', '60ms'];
const parameters = [...quick, '--warmup', '20', '--json', '--quiet'];
const usual = {
  ...{deliveryMode: 1, acknowledgement: 'auto', prefetch: 100, confirms: false, queueType: 'classic'},
  ...{reply: 'queue', heartbeatSeconds: 10, noDelay: true, keepMemory: true},
  ...{clients: 1, servers: 1, rate: null, answer: 'echo'},
};

/** @type {{title: string, flags: string[], variants: Record<string, unknown>[]}[]} */
const table = [
  {
    title: 'both delivery modes, unless asked otherwise',
    flags: [],
    variants: [{}, {deliveryMode: 2}],
  },
  {
    title: 'publisher confirms off and on',
    flags: ['--delivery-mode', '2', '--rabbitmq-confirms', 'off,on'],
    variants: [{deliveryMode: 2}, {deliveryMode: 2, confirms: true, acknowledgement: 'manual'}],
  },
  {
    title: 'automatic and manual acknowledgement',
    flags: ['--delivery-mode', '1', '--rabbitmq-ack', 'auto,manual'],
    variants: [{}, {acknowledgement: 'manual'}],
  },
  {
    title: 'a prefetch of 1 and none',
    flags: ['--delivery-mode', '1', '--rabbitmq-ack', 'manual', '--rabbitmq-prefetch', '1,0'],
    variants: [
      {acknowledgement: 'manual', prefetch: 1},
      {acknowledgement: 'manual', prefetch: 0},
    ],
  },
  {
    title: 'quorum queues, in mode 2 alone when no mode was asked for, also with confirms',
    flags: ['--rabbitmq-queue-type', 'quorum', '--rabbitmq-confirms', 'off,on'],
    variants: [
      {deliveryMode: 2, queueType: 'quorum'},
      {deliveryMode: 2, queueType: 'quorum', confirms: true, acknowledgement: 'manual'},
    ],
  },
  {
    title: 'direct reply-to, also with manual acknowledgement of requests and with confirms',
    flags: ['--delivery-mode', '1', '--rabbitmq-reply', 'direct', '--rabbitmq-confirms', 'off,on'],
    variants: [{reply: 'direct'}, {reply: 'direct', confirms: true, acknowledgement: 'manual'}],
  },
  {
    title: 'transactions, on a quorum queue and with direct reply-to',
    flags: [
      ...['--delivery-mode', '2', '--rabbitmq-tx', 'on', '--rabbitmq-queue-type', 'classic,quorum'],
      ...['--rabbitmq-reply', 'queue,direct'],
    ],
    variants: ['classic', 'quorum'].flatMap((queueType) =>
      ['queue', 'direct'].map((reply) => ({
        ...{deliveryMode: 2, queueType, reply, transactions: true, acknowledgement: 'manual'},
      })),
    ),
  },
  {
    title: 'no heartbeat and the Nagle algorithm on',
    flags: ['--delivery-mode', '1', '--rabbitmq-heartbeat', '0', '--tcp-no-delay', 'off'],
    variants: [{heartbeatSeconds: 0, noDelay: false}],
  },
];

describe('variants of RabbitMQ', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = brokerWithTls();

  /** @param {Workplace} workplace @param {string[]} flags @param {NodeJS.ProcessEnv} [environment] */
  async function measure(workplace, flags, environment = broker().environment) {
    const {code, stdout, stderr} = await workplace.battle([...parameters, ...flags], environment);
    assert.deepEqual({code, stderr}, {code: 0, stderr: ''});
    const cells = JSON.parse(stdout).cells.map((/** @type {unknown} */ cell) => cellRecord.parse(cell));
    for (const cell of cells) assertMeasured(cell);
    return cells.filter((/** @type {{transport: string}} */ {transport}) => transport === 'rabbitmq');
  }

  for (const {title, flags, variants} of table) {
    it(
      `measures ${title}`,
      inAWorkplace(async (workplace) => {
        const cells = await measure(workplace, flags);
        const frameMax = cells[0]?.variant.frameMax;
        assert.ok(frameMax >= 4096);
        assert.deepEqual(
          cells.map((/** @type {{variant: unknown}} */ {variant}) => variant),
          variants.map((variant) => ({...usual, ...variant, frameMax})),
        );
      }),
    );
  }

  it(
    'measures in a virtual host that a URL or an option names, and leaves nothing there',
    inAWorkplace(async (workplace) => {
      const vhost = 'perf/battle';
      const {hostname, port} = broker().connection;
      // In any other virtual host this user may do nothing, so that the measurement can have run in this one alone.
      await broker().control('add_user', 'visitor', 'a-visitors-password');
      await broker().addVirtualHost(vhost, 'visitor');
      const byUrl = `amqp://visitor:a-visitors-password@${hostname}:${port}/${encodeURIComponent(vhost)}`;
      const byParts = {
        PB_RABBITMQ_HOST: hostname,
        PB_RABBITMQ_PORT: String(port),
        PB_RABBITMQ_USERNAME: 'visitor',
        PB_RABBITMQ_PASSWORD: 'a-visitors-password',
        PB_RABBITMQ_VHOST: vhost,
      };
      for (const environment of [{PB_RABBITMQ_URL: byUrl}, byParts]) {
        const [cell] = await measure(workplace, ['--delivery-mode', '1'], environment);
        assert.equal(cell.outcome, 'completed');
      }
      const leftThere = () => broker().control('list_queues', '-p', vhost, '--no-table-headers', 'name');
      // A broker that was too slow to be waited for deletes the rest by itself.
      const deadline = Date.now() + 5000;
      let left = await leftThere();
      while (left.trim() !== '' && Date.now() < deadline) {
        await sleep(500);
        left = await leftThere();
      }
      assert.equal(left.trim(), '');
      assert.ok(!(await readFile(workplace.file('results.ndjson'), 'utf8')).includes('a-visitors-password'));
    }),
  );

  it(
    'measures over TLS with the authority that an option or the URL names',
    inAWorkplace(async (workplace) => {
      const url = broker().tlsUrl();
      const authority = broker().made.caFile;
      const flags = ['--delivery-mode', '2'];
      const byOption = await measure(workplace, [...flags, '--rabbitmq-ca-file', authority], {
        PB_RABBITMQ_URL: url,
      });
      assert.equal(byOption.length, 1);
      const byUrl = {PB_RABBITMQ_URL: broker().tlsUrl({cacertfile: authority})};
      assert.equal((await measure(workplace, flags, byUrl)).length, 1);
    }),
  );

  it(
    'measures over TLS with a broker that --broker names',
    inAWorkplace(async (workplace) => {
      const url = broker().tlsUrl();
      const flags = ['--delivery-mode', '1', '--rabbitmq-ca-file', broker().made.caFile];
      assert.equal((await measure(workplace, flags, {PB_BROKER: url})).length, 1);
    }),
  );

  it(
    'measures over TLS by hand',
    inAWorkplace(async (workplace) => {
      const environment = {
        PB_RABBITMQ_URL: broker().tlsUrl(),
        PB_RABBITMQ_CA_FILE: broker().made.caFile,
        PB_SAMPLES: '30',
        PB_WARMUP: '20',
      };
      const server = workplace.start('rabbitmq-server', [], environment);
      await server.says(/server ready/);
      const client = await workplace.run('rabbitmq-client', [], environment);
      assert.equal(client.code, 0, client.stderr);
      assert.match(client.stdout, /\nmean \d+\.\d{4} ms\n/);
    }),
  );

  it(
    'measures with the client certificate and the heartbeat that the parameters of the URL name, and keeps no key',
    inAWorkplace(async (workplace) => {
      const {certFile, keyFile} = broker().made.client;
      const url = broker().tlsUrl({
        ...{cacertfile: broker().made.caFile, certfile: certFile, keyfile: keyFile},
        ...{heartbeat: '7', verify: 'verify_peer'},
      });
      const [cell] = await measure(workplace, ['--delivery-mode', '1'], {PB_RABBITMQ_URL: url});
      assert.equal(cell.variant.heartbeatSeconds, 7);
      assert.doesNotMatch(await readFile(workplace.file('results.ndjson'), 'utf8'), /BEGIN|PRIVATE/);
    }),
  );

  it(
    'reports a client certificate that the broker refuses, which is of another authority',
    inAWorkplace(async (workplace) => {
      const url = broker().tlsUrl();
      const {certFile, keyFile} = broker().made.foreign;
      const files = ['--rabbitmq-cert-file', certFile, '--rabbitmq-key-file', keyFile];
      const flags = [...quick, '--delivery-mode', '1', '--rabbitmq-ca-file', broker().made.caFile, ...files];
      const {code, stderr} = await workplace.battle(flags, {PB_RABBITMQ_URL: url});
      assert.equal(code, 3);
      assert.match(stderr, /the server refused the client's certificate: it/);
    }),
  );

  it(
    'does not trust an authority that nobody named',
    inAWorkplace(async (workplace) => {
      const {password} = broker().connection;
      const environment = {PB_RABBITMQ_URL: broker().tlsUrl()};
      const ended = await workplace.battle([...quick, '--warmup', '20'], environment);
      assert.equal(ended.code, 3);
      assert.match(ended.stderr, /certificate that cannot be verified/);
      assert.ok(!`${ended.stdout}${ended.stderr}`.includes(password));
    }),
  );

  it(
    "fails the cell of a payload over the broker's limit with what the broker says, while smaller ones and other transports go on",
    inAWorkplace(async (workplace) => {
      // No other test here sends as much.
      await broker().control('eval', 'application:set_env(rabbit, max_message_size, 65536).');
      const flags = [
        '--transport',
        'websocket,rabbitmq',
        '--payload',
        '1kb,100kb',
        '--delivery-mode',
        '1',
        '--json',
      ];
      const rest = ['--duration', '50ms', '--warmup', '20', '--rounds', '1'];
      const {code, stdout} = await workplace.battle([...flags, ...rest], broker().environment);
      assert.equal(code, 1);
      const outcomes = JSON.parse(stdout).cells.map((/** @type {any} */ cell) => [
        cell.transport,
        cell.payloadBytes,
        cell.outcome,
      ]);
      assert.deepEqual(outcomes, [
        ['tcp', 1024, 'completed'],
        ['websocket', 1024, 'completed'],
        ['rabbitmq', 1024, 'completed'],
        ['tcp', 102_400, 'completed'],
        ['websocket', 102_400, 'completed'],
        ['rabbitmq', 102_400, 'failed'],
      ]);
      const failed = JSON.parse(stdout).cells.at(-1);
      assert.match(failed.error.message, /message size 102400 is larger than configured max size 65536/);
    }),
  );

  for (const {title, flags, environment, message} of [
    {
      title: 'mode 1 on a quorum queue',
      flags: ['--delivery-mode', '1', '--rabbitmq-queue-type', 'quorum'],
      environment: {},
      message: /--delivery-mode 1 is not supported by quorum queues/,
    },
    {
      title: 'mode 1 of both on a quorum queue',
      flags: ['--rabbitmq-queue-type', 'quorum'],
      environment: {PB_RABBITMQ_DELIVERY_MODE: '1,2'},
      message: /--delivery-mode 1 is not supported by quorum queues/,
    },
    {
      title: 'an authority whose file is not there',
      flags: ['--rabbitmq-ca-file', '/no/such/ca.pem'],
      environment: {PB_RABBITMQ_URL: 'amqps://user:a-password@localhost:1/'},
      message: /"?\/no\/such\/ca\.pem"?/,
    },
  ]) {
    it(
      `refuses ${title} before anything starts`,
      inAWorkplace(async (workplace) => {
        const given = /** @type {Record<string, string>} */ (environment);
        const ended = await workplace.battle([...parameters, ...flags], given);
        assert.deepEqual({code: ended.code, stdout: ended.stdout}, {code: 2, stdout: ''});
        assert.match(ended.stderr, message);
        assert.equal(existsSync(workplace.file('results.ndjson')), false);
      }),
    );
  }
});

/** @param {CellRecord} cell */
function assertMeasured(cell) {
  if (cell.outcome !== 'completed') assert.fail(JSON.stringify(cell));
  const {sent, received, lost, verified, timedOut} = cell.counts;
  assert.ok(sent > 0);
  assert.equal(sent, received + lost);
  assert.equal(verified, received);
  assert.deepEqual({lost, timedOut}, {lost: 0, timedOut: 0});
  assert.equal(cell.rtt?.samples, sent);
}
