import assert from 'node:assert/strict';
import {after, before, describe, it} from 'node:test';
import {nats} from '../../../src/brokers/nats/index.js';
import {provision} from '../brokers/provision.js';
import {startCuttingProxy} from '../support/cutting-proxy.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {hostsWithCaches} from '../support/fill-caches.js';
import {killedBroker} from '../support/killed-broker.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {start} from '../support/program.js';
import {Workplace} from '../support/workplace.js';

/**
 * @import {Broker} from '../../../src/brokers/kind.js'
 * @import {NatsConnection} from '../../../src/brokers/nats/url.js'
 */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb,1000kb'];
const byHand = {PB_SAMPLES: '60', PB_WARMUP: '20'};

describe('the NATS pair by hand', {timeout: 1_200_000}, () => {
  /** @type {Workplace} */
  let own;
  /** @type {Broker<NatsConnection>} */
  let broker;
  before(async () => {
    own = await Workplace.make();
    broker = await provision(nats, {temporaryFolder: own.temporary});
  });
  after(async () => {
    await broker.release();
    await own.clear();
  });

  function url() {
    const {hostname, port, username, password} = broker.connection;
    return `nats://${username}:${password}@${hostname}:${port}`;
  }

  /** @param {Workplace} workplace @param {NodeJS.ProcessEnv} environment */
  async function startServer(workplace, environment) {
    const server = workplace.start('nats-server', [], environment);
    await server.says(/NATS server ready/);
    return server;
  }

  for (const {title, environment} of [
    {title: 'round trips', environment: {}},
    {title: 'round trips of 1000 KB', environment: {PB_PAYLOAD_BYTES: '1000kb'}},
    {title: 'a pipeline', environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_SAMPLES: '2000'}},
    {title: 'a stream', environment: {PB_WORKLOAD: 'stream', PB_SAMPLES: '2000'}},
    {title: 'answers in chunks', environment: {PB_WORKLOAD: 'recordset', PB_ROWS: '2679'}},
    {title: 'round trips with Nagle', environment: {PB_TCP_NO_DELAY: 'off'}},
  ]) {
    it(
      `runs ${title} over two servers of one queue group`,
      inAWorkplace(async (workplace) => {
        const settings = {...byHand, ...environment, PB_NATS_URL: url()};
        await startServer(workplace, settings);
        await startServer(workplace, settings);
        const {code, stdout, stderr} = await workplace.run('nats-client', [], {
          ...settings,
          PB_OUTPUT: 'ndjson',
        });
        assert.equal(code, 0, stderr);
        const result = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
        assert.equal(result.event, 'result');
        assert.equal(result.counts.lost + result.counts.corrupted + result.counts.duplicated, 0);
        assert.equal(result.counts.sent, Number(settings.PB_SAMPLES));
      }),
    );
  }

  it(
    'waits for a server, and says which script it misses',
    inAWorkplace(async (workplace) => {
      const settings = {
        ...byHand,
        PB_NATS_URL: url(),
        PB_CONNECT_TIMEOUT: '300ms',
        PB_NATS_SUBJECT: 'nobody',
      };
      const {code, stderr} = await workplace.run('nats-client', [], settings);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /No NATS server of perf-battle answers at nobody\.presence\. Start npx perf-battle serve nats/,
      );
    }),
  );

  it(
    'fails at once when its server ends',
    inAWorkplace(async (workplace) => {
      const settings = {PB_NATS_URL: url(), PB_NATS_SUBJECT: 'ending', PB_SAMPLES: '10000000'};
      const server = await startServer(workplace, settings);
      const client = workplace.start('nats-client', [], {...settings, PB_OUTPUT: 'ndjson'});
      await client.says(/"ready"/);
      server.child.kill('SIGTERM');
      const {code, stdout} = await client.ended;
      assert.equal(code, 1);
      // A request that the server took and did not answer any more times out; then there is no server to connect to.
      assert.match(
        stdout,
        /No server subscribes to ending\.requests any more|No NATS server of perf-battle answers at ending/,
      );
    }),
  );

  it(
    'fails at once when its broker ends while it subscribes',
    inAWorkplace(async (workplace) => {
      const {hostname, port} = broker.connection;
      const proxy = await startCuttingProxy({hostname, port}, 'SUB ');
      const {code, stderr} = await workplace.run('nats-server', [], {
        PB_NATS_URL: url().replace(`:${port}`, `:${proxy.port}`),
      });
      proxy.close();
      assert.equal(code, 1, stderr);
      assert.match(stderr, /The NATS connection was closed by the server/);
    }),
  );

  it(
    'is refused with a wrong password, which is shown nowhere',
    inAWorkplace(async (workplace) => {
      const settings = {PB_NATS_URL: url().replace(/:[^:@]+@/, ':Wr0ng@')};
      const {code, stdout, stderr} = await workplace.run('nats-server', [], settings);
      assert.equal(code, 3);
      assert.match(stderr, /refused user "perf-battle": Authorization Violation\. Check --nats-username/);
      assert.ok(!`${stdout}${stderr}`.includes('Wr0ng'));
    }),
  );

  it(
    'takes part in a battle whose journal keeps neither password nor token',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--transport', 'nats', '--broker', url()];
      const {code, stdout, stderr} = await workplace.battle(flags, {PB_NATS_TOKEN: 'S3cret'});
      assert.equal(code, 0, stderr);
      const kept = JSON.stringify(await workplace.journal());
      for (const text of [kept, stdout, stderr])
        for (const secret of ['S3cret', String(broker.connection.password)])
          assert.ok(!text.includes(secret));
    }),
  );
});

describe('a battle with NATS', {timeout: 1_200_000}, () => {
  it(
    'starts a private server, names it in the records, and leaves nothing of it',
    inAWorkplace(async (workplace) => {
      const flags = [...short, '--transport', 'nats', '--broker', 'private', '--workload', 'rtt,stream'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'nats');
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed');
        assert.match(String(cell.versions.nats), /^\d+\.\d+\.\d+$/);
        assert.equal(cell.variant.noDelay, true);
        assert.equal(cell.variant.maxPayloadBytes, 64 * 1024 * 1024);
        assert.equal(typeof cell.hosts.broker, 'string');
        assert.equal(cell.labels.persistent, '*N/A*');
        assert.ok(cell.cpu.broker);
        assert.equal(cell.counts.lost, 0);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'runs beside RabbitMQ, each with a private broker of its own',
    inAWorkplace(async (workplace) => {
      const flags = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];
      const transports = ['--transport', 'nats,rabbitmq', '--delivery-mode', '1', '--broker', 'private'];
      const {code, stderr} = await workplace.battle([...flags, ...transports]);
      assert.equal(code, 0, stderr);
      for (const label of [/Broker: NATS \d.* a private node/, /Broker: RabbitMQ \d.* a private node/])
        assert.match(stderr, label);
      for (const cell of await workplace.cells()) {
        assert.equal(cell.outcome, 'completed');
        assert.ok(cell.versions.nats && cell.versions.rabbitmq && cell.versions.erlang);
        assert.equal(typeof cell.hosts.broker, cell.transport === 'tcp' ? 'object' : 'string');
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is not part of a battle for which no transport is named',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.battle(['--dry-run']);
      assert.equal(code, 0);
      assert.match(stdout, /RabbitMQ/);
      assert.doesNotMatch(stdout, /NATS/);
    }),
  );

  it(
    'fails the cell, says why and goes on when its server is killed',
    inAWorkplace(async (workplace) => {
      const transports = ['--transport', 'nats,http', '--http-server', 'node'];
      const outcomes = await killedBroker(workplace, 'nats', {
        ...{label: 'NATS', program: /nats-server --config/, afterMs: 400},
        flags: ['--duration', '700ms', '--seed', '2', ...transports],
      });
      assert.deepEqual(outcomes, {
        ...{tcp: 'completed', http: 'completed', nats: 'PB_BROKER_DIED'},
      });
    }),
  );

  it(
    'runs the other cells where nats-server is not installed, and ends with 3 and the command that installs it',
    inAWorkplace(async (workplace) => {
      // In a mount namespace of its own, where the program is no program.
      const hide = 'mount --bind /dev/null "$(command -v nats-server)" && exec "$@"';
      const flags = [...short, '--transport', 'nats,websocket', '--broker', 'private'];
      const battle = start('battle', flags, {
        cwd: workplace.path,
        temporary: workplace.temporary,
        environment: {},
        wrapper: ['unshare', '--mount', 'sh', '-c', hide, 'sh'],
      });
      const {code, stderr} = await battle.ended;
      assert.equal(code, 3, stderr);
      assert.match(stderr, /No broker: There is no NATS: .*npx perf-battle install nats/);
      const outcomes = (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
      assert.deepEqual(Object.fromEntries(outcomes), {
        ...{tcp: 'completed', websocket: 'completed', nats: 'failed'},
      });
    }),
  );
});

describe('a battle with a NATS server on another host', {timeout: 1_200_000}, () => {
  const network = hostsWithCaches(['alpha', 'beta']);

  it(
    'starts it there, reaches it from a third host, and leaves nothing of it',
    inAWorkplace(async (workplace) => {
      const where = ['--broker-on', 'alpha', '--server-on', 'beta'];
      const {code, stderr} = await workplace.battle([...short, '--transport', 'nats', ...where], {
        PB_SSH_CONFIG: network().sshConfig,
      });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Starting a private NATS node on alpha;/);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'nats');
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.hosts.server, cell.hosts.broker], ['beta', 'alpha']);
        assert.ok(cell.cpu.broker);
      }
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});
