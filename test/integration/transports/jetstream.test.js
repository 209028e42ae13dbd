import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {after, before, describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {connectNats} from '../../../src/brokers/nats/connection.js';
import {parseNatsUrl} from '../../../src/brokers/nats/url.js';
import {allArrived} from '../support/arrived.js';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedBroker} from '../support/killed-broker.js';
import {freePort} from '../support/ports.js';
import {childrenOf} from '../support/roles.js';
import {spawnWithParent} from '../support/spawn-with-parent.js';
import {Workplace} from '../support/workplace.js';

/** @import {ChildProcess} from 'node:child_process' */

const execute = promisify(execFile);
const short = ['--rounds', '1', '--samples', '40', '--warmup', '10'];
const ofJetStream = ['--transport', 'jetstream'];

describe('a battle with JetStream', {timeout: 1_200_000, concurrency: 2}, () => {
  it(
    'runs each workload in memory and in files with messages of 1000 KB, and leaves nothing of its server',
    inAWorkplace(async (workplace) => {
      const workloads = ['--workload', 'pipeline,stream,queue', '--window', '64'];
      const flags = [...short, ...ofJetStream, ...workloads, '--payload', '1000kb', '--broker', 'private'];
      const {code, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'jetstream');
      assert.equal(cells.length, 6);
      for (const cell of allArrived(cells)) {
        assert.equal(cell.labels.persistent, cell.variant.jetstreamStorage === 'file' ? 'Yes' : 'No');
        assert.equal(cell.variant.maxPayloadBytes, 24 * 1024 ** 2 - 1024);
        assert.match(String(cell.versions['@nats-io/jetstream']), /^\d+\.\d+\.\d+$/);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'sends each request to one of several servers, and answers in chunks',
    inAWorkplace(async (workplace) => {
      const many = ['--servers', '2', '--clients', '2', '--jetstream-storage', 'file', '--payload', '1kb'];
      const flags = [
        ...short,
        ...ofJetStream,
        ...many,
        '--workload',
        'pipeline,recordset',
        '--rows',
        '500',
        '--window',
        '16',
      ];
      const {code, stderr} = await workplace.battle([...flags, '--broker', 'private']);
      assert.equal(code, 0, stderr);
      allArrived(await workplace.cells());
    }),
  );

  it(
    'fails the cell and names the broker when its server is killed',
    inAWorkplace(async (workplace) => {
      const flags = [...ofJetStream, '--duration', '3s', '--jetstream-storage', 'file', '--slices', 'off'];
      const outcomes = await killedBroker(workplace, 'jetstream', {
        label: 'NATS',
        program: /nats-server --config/,
        flags,
      });
      assert.equal(outcomes.jetstream, 'PB_BROKER_DIED');
    }),
  );

  it(
    'syncs each message where the server can, and is refused by name where it cannot; the other rows run',
    inAWorkplace(async (workplace) => {
      const {stdout: version} = await execute('nats-server', ['--version']);
      const canSync = !/v2\.[0-9]\./.test(version);
      const flags = [
        '--jetstream-storage',
        'file',
        '--jetstream-sync',
        'interval,always',
        '--payload',
        '1kb',
      ];
      const {code, stderr} = await workplace.battle([...short, ...ofJetStream, ...flags]);
      assert.equal(code, canSync ? 0 : 3, stderr);
      if (!canSync) assert.match(stderr, /No broker: NATS 2\.\S+ \(\/.*NATS 2\.10 and later can/);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'jetstream');
      assert.deepEqual(
        Object.fromEntries(cells.map(({variant, outcome}) => [variant.jetstreamSync, outcome])),
        {
          interval: 'completed',
          always: canSync ? 'completed' : 'failed',
        },
      );
    }),
  );

  it(
    'loses nothing of a file by a crash, all of it by a power cut, and all of a memory by both',
    inAWorkplace(async (workplace) => {
      const words = ['faults', ...ofJetStream, '--tries', '1', '--restart-after', '200ms', '--json'];
      const {code, stdout, stderr} = await workplace.start('battle', words, {}, {patienceMs: 600_000}).ended;
      assert.equal(code, 0, stderr);
      const found = JSON.parse(stdout).rows.map((/** @type {any} */ {row, class: name, faults: own}) => [
        row.variant.jetstreamStorage,
        name,
        ...own.map((/** @type {any} */ {fault, outcome}) => `${fault} ${outcome}`),
      ]);
      assert.deepEqual(found, [
        ['memory', 'in memory', 'kill-broker lost', 'power-loss lost'],
        ['file', 'in the page cache', 'kill-broker kept', 'power-loss lost'],
      ]);
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

describe('JetStream on a server that a person names', {timeout: 600_000}, () => {
  /** @type {Workplace} */
  let own;
  /** @type {Record<'with' | 'without', {url: string, server: ChildProcess}>} */
  let servers;
  /** @type {Awaited<ReturnType<typeof makeCertificates>>} */
  let made;
  before(async () => {
    own = await Workplace.make();
    made = await makeCertificates(own.path);
    const {certFile, keyFile} = made.server;
    // By default, a server gives a client of a busy host two seconds.
    const tls = `tls { cert_file: "${certFile}", key_file: "${keyFile}", timeout: 60 }`;
    servers = {
      with: await startServer(own, `${tls}\njetstream { store_dir: "${own.file('store')}" }`),
      without: await startServer(own, tls),
    };
  });
  after(async () => {
    for (const {server} of Object.values(servers ?? {})) server.kill('SIGKILL');
    await own.clear();
  });

  it(
    'runs over TLS with a password that is shown nowhere, and leaves no stream there',
    inAWorkplace(async (workplace) => {
      const {url} = servers.with;
      const flags = [...short, ...ofJetStream, '--workload', 'rtt,queue', '--payload', '1kb'];
      const {code, stdout, stderr} = await workplace.battle([...flags, '--nats-ca-file', made.caFile], {
        PB_NATS_URL: url,
      });
      assert.equal(code, 0, stderr);
      assert.ok(![stdout, stderr, JSON.stringify(await workplace.journal())].join().includes('S3cret'));
      assert.deepEqual(await streamsAt(url, made.caFile), []);
    }),
  );

  it(
    'leaves no stream there when its roles were killed',
    inAWorkplace(async (workplace) => {
      const {url} = servers.with;
      const long = ['--rounds', '1', '--duration', '30s', '--warmup', '10', '--payload', '1kb'];
      const flags = [...long, ...ofJetStream, '--nats-ca-file', made.caFile, '--seed', '2'];
      const battle = workplace.start('battle', flags, {PB_NATS_URL: url});
      while ((await streamsAt(url, made.caFile)).length === 0) await sleep(50);
      for (const {pid, command} of await childrenOf(battle.pid))
        if (command.includes('/program.js jetstream-')) process.kill(pid, 'SIGKILL');
      battle.child.kill('SIGINT');
      await battle.ended;
      assert.deepEqual(await streamsAt(url, made.caFile), []);
    }),
  );

  it(
    'is refused by name where the server has no JetStream',
    inAWorkplace(async (workplace) => {
      const flags = [...short, ...ofJetStream, '--payload', '1kb', '--nats-ca-file', made.caFile];
      const {code, stderr} = await workplace.battle(flags, {PB_NATS_URL: servers.without.url});
      assert.equal(code, 3, stderr);
      assert.match(stderr, /The NATS server has no JetStream for this user: .*nats-server --jetstream/s);
    }),
  );
});

/** A server that a person runs. @param {Workplace} place @param {string} more of its configuration */
async function startServer(place, more) {
  const port = await freePort();
  const configuration = place.file(`nats-${port}.conf`);
  await writeFile(
    configuration,
    `listen: "127.0.0.1:${port}"\nauthorization { user: alice, password: S3cret, timeout: 60 }\n${more}\n`,
  );
  const server = spawnWithParent('nats-server', ['--config', configuration], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  while (!said.includes('Server is ready')) said += String((await once(server.stderr, 'data'))[0]);
  server.stderr.resume();
  return {url: `tls://alice:S3cret@localhost:${port}`, server};
}

/** @param {string} url @param {string} caFile @returns {Promise<string[]>} the names of its streams */
async function streamsAt(url, caFile) {
  const client = await connectNats({...parseNatsUrl(url), caFile}, {timeoutMs: 5000});
  try {
    const answer = await client.request('$JS.API.STREAM.NAMES');
    return /** @type {{streams: string[] | null}} */ (answer.json()).streams ?? [];
  } finally {
    await client.close();
  }
}
