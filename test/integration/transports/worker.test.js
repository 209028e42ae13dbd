import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer} from 'node:net';
import {createInterface} from 'node:readline';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {conformance} from '../../../src/conformance/index.js';
import {spawnRole} from '../../../src/hosts/local.js';
import {connect} from '../../../src/transports/worker/client.js';
import worker from '../../../src/transports/worker/index.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';
import {coresOfThreads, untilRoleRuns} from '../support/roles.js';
import {usedTrials} from '../support/used-trials.js';

/** @import {AddressInfo} from 'node:net' */

conformance(worker, {workerTransfer: 'transfer'});

const byHand = {PB_SAMPLES: '200', PB_WARMUP: '20', PB_OUTPUT: 'ndjson', PB_SERVER_HOST: '127.0.0.1'};

/** @param {string} stdout @returns {Record<string, any>} the last event */
function lastEvent(stdout) {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const loads = [
  {title: 'round trips of one byte', environment: {PB_PAYLOAD_BYTES: '1'}},
  {title: 'round trips of 1000 KB', environment: {PB_PAYLOAD_BYTES: '1000kb', PB_REPLY: 'increment'}},
  {title: 'a pipeline', environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_SAMPLES: '2000'}},
  {
    title: 'a pipeline of 100 KB',
    environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_PAYLOAD_BYTES: '100kb', PB_REPLY: 'increment'},
  },
  {title: 'requests at a rate', environment: {PB_RATE: '500', PB_SAMPLES: '200'}},
];

describe('a worker thread by hand', {timeout: 600_000, concurrency: 2}, () => {
  for (const PB_WORKER_TRANSFER of ['copy', 'transfer'])
    for (const {title, environment} of loads)
      it(
        `runs ${title} with ${PB_WORKER_TRANSFER}, and every reply is right`,
        inAWorkplace(async (workplace) => {
          const settings = {...byHand, ...environment, PB_WORKER_TRANSFER, PB_VERIFY: 'all'};
          const server = workplace.start('battle', ['serve', 'worker'], {...settings, PB_SERVER_PORT: '0'});
          const [, PB_SERVER_PORT] = await server.says(/"address":"\S+:(\d+)"/);
          const {code, stdout, stderr} = await workplace.start('battle', ['call', 'worker'], {
            ...settings,
            PB_SERVER_PORT,
          }).ended;
          assert.equal(code, 0, stdout + stderr);
          const {sent, received, lost, corrupted, verified} = lastEvent(stdout).counts;
          const samples = Number(settings.PB_SAMPLES);
          assert.deepEqual(
            {sent, received, lost, corrupted, verified},
            {sent: samples, received: samples, lost: 0, corrupted: 0, verified: samples},
          );
        }),
      );

  it(
    'ends with 1 when its server is killed, although its thread could answer',
    inAWorkplace(async (workplace) => {
      const {code, error} = await killedServer(workplace, 'worker');
      assert.deepEqual(
        [code, error.code, error.message],
        [1, 'PB_CONNECTION_LOST', 'The Worker thread server ended.'],
      );
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );

  it(
    'says what it needs without a server, and what its thread cannot do',
    inAWorkplace(async (workplace) => {
      const free = createServer().listen(0, '127.0.0.1');
      await once(free, 'listening');
      const {port} = /** @type {AddressInfo} */ (free.address());
      free.close();
      const settings = {...byHand, PB_SERVER_PORT: String(port), PB_CONNECT_TIMEOUT: '300ms'};
      const alone = await workplace.run('worker-client', [], settings);
      assert.equal(alone.code, 1, alone.stdout);
      const {code, message} = lastEvent(alone.stdout);
      assert.equal(code, 'PB_NO_SERVER');
      assert.match(message, /on the cores of a server process: start one with npx perf-battle serve worker/);
      const rows = await workplace.run('worker-client', [], {...settings, PB_WORKLOAD: 'recordset'});
      assert.equal(rows.code, 2, rows.stdout);
      assert.match(lastEvent(rows.stdout).message, /recordset needs a server of its own/);
      const elsewhere = JSON.stringify({place: 'elsewhere', offer: {pid: 1}, own: 1});
      const liar = createServer((socket) => socket.on('error', () => {}).end(`${elsewhere}\n`));
      await once(liar.listen(port, '127.0.0.1'), 'listening');
      const apart = await workplace.run('worker-client', [], settings);
      liar.close();
      assert.equal(apart.code, 1, apart.stdout);
      assert.match(lastEvent(apart.stdout).message, /processes of one host; the other end is on another/);
    }),
  );
});

describe('the server of worker threads', {timeout: 300_000}, () => {
  it('reports what the threads of its clients used, and not itself', async () => {
    const program = new URL('../../../src/roles/program.js', import.meta.url);
    const role = spawnRole(program, {words: ['worker-server'], cores: null, keepMemory: false});
    const events = createInterface({input: role.stdout})[Symbol.asyncIterator]();
    const tell = (/** @type {object} */ message) => role.stdin.write(`${JSON.stringify(message)}\n`);
    const nextEvent = async () => JSON.parse((await events.next()).value ?? '{}');
    const beats = setInterval(() => tell({type: 'beat'}), 500);
    try {
      const options = {workload: 'rtt', answer: 'echo', listenAddress: '127.0.0.1', serverPort: 0};
      tell({type: 'configure', options});
      const {event, address} = await nextEvent();
      assert.equal(event, 'ready');
      const connection = {servers: [address], concurrency: 1, correlation: null, hasServer: true};
      const how = {
        ...connection,
        noDelay: true,
        greetingMs: 10_000,
        workerTransfer: /** @type {const} */ ('copy'),
      };
      const clients = [await connect(how), await connect(how)];
      tell({type: 'mark'});
      assert.equal((await nextEvent()).phase, 'mark');
      const payload = Buffer.alloc(1_000_000, 7);
      for (let number = 0; number < 400; number += 1)
        assert.equal((await clients[number % 2].request(payload)).length, payload.length);
      tell({type: 'mark'});
      const {usage} = await nextEvent();
      assert.ok(usage.mainThreadMs > 2 * (usage.userMs + usage.systemMs), JSON.stringify(usage));
      assert.ok(usage.runDelayMs >= 0 && usage.wakeUps > 0, JSON.stringify(usage));
      for (const client of clients) await client.close();
    } finally {
      clearInterval(beats);
      role.kill();
      await once(role, 'exit');
    }
  });
});

describe('a battle with worker threads', {timeout: 600_000}, () => {
  it(
    'has rows of both kinds, with the CPU of the server in that of the client',
    inAWorkplace(async (workplace) => {
      const length = ['--samples', '300', '--warmup', '50', '--rounds', '1', '--clients', '1,2'];
      const load = ['--workload', 'rtt,pipeline', '--payload', '1kb,100kb', '--window', '16', ...length];
      const flags = ['--transport', 'worker', '--worker-transfer', 'copy,transfer', '--detail', ...load];
      const {code, stdout, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'worker');
      assert.equal(cells.length, 16);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const count = 300 * Number(cell.variant.clients) * usedTrials(cell);
        assert.deepEqual([cell.counts.received, cell.counts.lost, cell.counts.corrupted], [count, 0, 0]);
        const {client, server, broker, serverInClient} = cell.cpu;
        assert.ok(Number(client?.microsPerMessage) > 0, JSON.stringify(cell.cpu));
        assert.deepEqual([server, broker, serverInClient], [null, null, true]);
      }
      const text = stdout.replace(/\s+/g, ' ');
      assert.match(
        text,
        /Worker thread \(transferred.*?CPU µs\/msg \d.*?CPU % client \/ server \(\/ broker\) \d+ \/ n\/a;/,
      );
      assert.match(text, /A worker thread answers within the process of its client/);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );

  it(
    "places the thread on the core of the server's main thread",
    inAWorkplace(async (workplace) => {
      const load = ['--payload', '1kb', '--rounds', '1', '--duration', '30s', '--warmup', '200ms'];
      const battle = workplace.start('battle', ['--transport', 'worker', '--pin', 'main', ...load]);
      const server = await untilRoleRuns(battle.pid, 'worker-server');
      const client = await untilRoleRuns(battle.pid, 'worker-client');
      const isPlaced = async () => {
        const [ofServer] = await coresOfThreads(server);
        const [ofClient, ...others] = await coresOfThreads(client);
        const onOne = others.filter((cores) => /^\d+$/.test(cores));
        return ofClient !== ofServer && onOne.length === 1 && onOne[0] === ofServer;
      };
      const deadline = Date.now() + 20_000;
      while (!(await isPlaced())) {
        assert.ok(
          Date.now() < deadline,
          `${await coresOfThreads(client)} and ${await coresOfThreads(server)}`,
        );
        await sleep(50);
      }
      battle.child.kill('SIGINT');
      assert.equal((await battle.ended).code, 130);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});
