import assert from 'node:assert/strict';
import {createSocket} from 'node:dgram';
import {readFile} from 'node:fs/promises';
import {describe, it} from 'node:test';
import {randomBytes, randomSource} from '../../../src/payload/random.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {hostsWithCaches} from '../support/fill-caches.js';
import {leftoversOnHostsWithin} from '../support/leftovers-on-hosts.js';
import {startLossyRelay} from '../support/lossy-relay.js';
import {freePort} from '../support/ports.js';
import {untilRoleRuns} from '../support/roles.js';
import {stopAgainAndAgain} from '../support/stop-again-and-again.js';

/**
 * @import {Workplace} from '../support/workplace.js'
 */

const byHand = {PB_SAMPLES: '60', PB_WARMUP: '20', PB_OUTPUT: 'ndjson', PB_SERVER_HOST: '127.0.0.1'};
/** Of each: losses, duplicates, delays. */
const share = 0.05;

/** @param {Workplace} workplace @param {NodeJS.ProcessEnv} environment */
async function startServer(workplace, environment) {
  const settings = {PB_LISTEN_ADDRESS: '127.0.0.1', ...environment, PB_SERVER_PORT: '0', PB_OUTPUT: 'ndjson'};
  const server = workplace.start('udp-server', [], settings);
  const [, port] = await server.says(/"address":"\S+:(\d+)"/);
  return {server, port: Number(port)};
}

/** @param {string} stdout @returns {Record<string, any>} the last event */
function lastEvent(stdout) {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** Enough that a client has to send one of its requests again: of 120, none is lost with a probability of 0.2 %. */
const some = {PB_SAMPLES: '120'};

const loads = [
  {title: 'round trips', environment: some},
  {
    title: 'round trips of 1000 KB',
    environment: {PB_PAYLOAD_BYTES: '1000kb', PB_SAMPLES: '12', PB_WARMUP: '3'},
  },
  {title: 'round trips of one byte', environment: {...some, PB_PAYLOAD_BYTES: '1'}},
  {title: 'a pipeline', environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_SAMPLES: '2000'}},
  {
    title: 'a pipeline of 100 KB',
    environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '16', PB_PAYLOAD_BYTES: '100kb', PB_SAMPLES: '100'},
  },
  {title: 'answers in chunks', environment: {...some, PB_WORKLOAD: 'recordset', PB_ROWS: '2679'}},
];

describe('the UDP pair by hand', {timeout: 1_200_000}, () => {
  for (const {title, environment} of [
    {title: 'round trips', environment: {}},
    {title: 'round trips in datagrams of 65507 bytes', environment: {PB_UDP_DATAGRAM: '65507'}},
    {
      title: 'round trips with a server on all addresses',
      environment: {PB_LISTEN_ADDRESS: '', PB_SERVER_HOST: 'localhost'},
    },
  ]) {
    it(
      `runs ${title}`,
      inAWorkplace(async (workplace) => {
        const settings = {...byHand, ...environment};
        const {port} = await startServer(workplace, settings);
        await assertAllReplied(workplace, {...settings, PB_SERVER_PORT: String(port)});
      }),
    );
  }

  for (const {title, environment} of loads) {
    it(
      `runs ${title} through a relay that loses, doubles and delays datagrams`,
      inAWorkplace(async (workplace) => {
        const settings = {...byHand, PB_TIMEOUT: '60s', ...environment};
        const {port} = await startServer(workplace, settings);
        const relay = await startLossyRelay({port, share, seed: 1});
        try {
          const {retransmissions} = await assertAllReplied(workplace, {
            ...settings,
            PB_SERVER_PORT: String(relay.port),
          });
          assert.ok(retransmissions > 0);
          for (const [what, count] of Object.entries(relay.counts)) assert.ok(count > 0, what);
        } finally {
          relay.close();
        }
      }),
    );
  }

  for (const {title, environment} of [
    {title: 'a stream', environment: {}},
    {title: 'a stream without batching', environment: {PB_UDP_BATCH: 'off'}},
    {
      title: 'a stream of 1000 KB',
      environment: {PB_PAYLOAD_BYTES: '1000kb', PB_SAMPLES: '12', PB_WARMUP: '2'},
    },
  ]) {
    // What a lossy path carries, a path without losses carries, too.
    for (const isLossy of title === 'a stream' ? [false, true] : [true]) {
      it(
        `runs ${title}${isLossy ? ' through a lossy relay' : ''}: everything arrives once and in order`,
        inAWorkplace(async (workplace) => {
          const settings = {
            ...byHand,
            PB_WORKLOAD: 'stream',
            PB_SAMPLES: '3000',
            PB_TIMEOUT: '30s',
            ...environment,
          };
          const {server, port} = await startServer(workplace, settings);
          const relay = isLossy ? await startLossyRelay({port, share, seed: 2}) : null;
          try {
            const place = {PB_SERVER_PORT: String(relay?.port ?? port)};
            const {code, stdout, stderr} = await workplace.run('udp-client', [], {...settings, ...place});
            assert.equal(code, 0, stdout + stderr);
            const samples = Number(settings.PB_SAMPLES);
            const [, line] = await server.says(new RegExp(`(\\{[^\\n]*"messages":${samples},[^\\n]*\\})`));
            const {distinct, duplicated, reordered, corrupted} = JSON.parse(line);
            assert.deepEqual(
              {distinct, duplicated, reordered, corrupted},
              {distinct: samples, duplicated: 0, reordered: 0, corrupted: 0},
            );
          } finally {
            relay?.close();
          }
        }),
      );
    }
  }

  it(
    'says that nobody listens',
    inAWorkplace(async (workplace) => {
      const settings = {...byHand, PB_SERVER_PORT: String(await freePort()), PB_CONNECT_TIMEOUT: '300ms'};
      const {code, stdout} = await workplace.run('udp-client', [], settings);
      assert.equal(code, 1);
      assert.equal(lastEvent(stdout).code, 'PB_NO_SERVER');
      assert.match(
        stdout,
        /within 0\.3 s \(--connect-timeout\): no UDP server listens at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/,
      );
    }),
  );

  it(
    'says that somebody listens and does not answer',
    inAWorkplace(async (workplace) => {
      const deaf = createSocket('udp4');
      await new Promise((resolve) => deaf.bind(0, '127.0.0.1', () => resolve(null)));
      const environment = {PB_CONNECT_TIMEOUT: '300ms', PB_TIMEOUT: '300ms'};
      const settings = {...byHand, ...environment, PB_SERVER_PORT: String(deaf.address().port)};
      const {code, stdout} = await workplace.run('udp-client', [], settings);
      deaf.close();
      assert.equal(code, 1);
      assert.match(
        lastEvent(stdout).message,
        /No server could be reached within 0\.3 s .*: no answer within/,
      );
    }),
  );

  for (const {signal, message} of /** @type {const} */ ([
    // The kernel reports a datagram that nobody receives any more before a goodbye that is still unread.
    {
      signal: 'SIGTERM',
      message: /The other end closed the UDP session|The UDP session failed: .*ECONNREFUSED/,
    },
    {signal: 'SIGKILL', message: /The UDP session failed: .*ECONNREFUSED|does not know it/},
    {signal: 'SIGSTOP', message: /The other end did not acknowledge for 5 s/},
  ])) {
    for (const workload of ['rtt', 'stream']) {
      it(
        `fails a ${workload} when its server gets ${signal}`,
        inAWorkplace(async (workplace) => {
          const settings = {...byHand, PB_WORKLOAD: workload, PB_SAMPLES: '1000000000', PB_TIMEOUT: '60s'};
          const {server, port} = await startServer(workplace, settings);
          const client = workplace.start('udp-client', [], {...settings, PB_SERVER_PORT: String(port)});
          await client.says(/"ready"/);
          process.kill(server.scriptPid(), signal);
          const {code, stdout} = await client.ended;
          server.child.kill('SIGKILL');
          assert.equal(code, 1, stdout);
          assert.equal(lastEvent(stdout).code, 'PB_CONNECTION_LOST');
          assert.match(lastEvent(stdout).message, message);
        }),
      );
    }
  }

  it(
    'sends again what a server that stops for a moment has not answered',
    inAWorkplace(async (workplace) => {
      const patience = {PB_TIMEOUT: '200ms', PB_RETRIES: '50'};
      const settings = {...byHand, PB_WARMUP: '0', PB_DURATION: '2s', PB_SAMPLES: '', ...patience};
      const {server, port} = await startServer(workplace, settings);
      const client = workplace.start('udp-client', [], {...settings, PB_SERVER_PORT: String(port)});
      await client.says(/"ready"/);
      await stopAgainAndAgain(server, client);
      const {code, stdout, stderr} = await client.ended;
      assert.equal(code, 0, stdout + stderr);
      const {counts} = lastEvent(stdout);
      assert.equal(counts.lost, 0);
      assert.ok(counts.retried >= 1 && counts.retried === counts.timedOut, JSON.stringify(counts));
    }),
  );

  it(
    'survives datagrams of strangers, and its memory does not grow with them',
    inAWorkplace(async (workplace) => {
      const {server, port} = await startServer(workplace, byHand);
      const stranger = createSocket('udp4');
      const random = randomSource(5, 'strangers');
      for (let count = 0; count < 20_000; count += 1) {
        const datagram = randomBytes(count, 'stranger', 576 + Math.floor(random() * 900));
        // Three of four look like ours: hello, welcome, data, acknowledgement or bye, of a hundred sessions.
        if (random() < 0.75) {
          datagram[0] = 0xb7;
          datagram[1] = 1 + Math.floor(random() * 5);
          datagram.writeUIntBE(Math.floor(random() * 100), 4, 6);
          if (random() < 0.5) datagram.writeUInt32BE(Math.floor(random() * 150), 10);
        }
        await new Promise((resolve) => stranger.send(datagram, port, '127.0.0.1', resolve));
      }
      stranger.close();
      await assertAllReplied(workplace, {...byHand, PB_SERVER_PORT: String(port)});
      const status = await readFile(`/proc/${server.scriptPid()}/status`, 'utf8');
      assert.ok(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) < 300 * 1024, status);
    }),
  );

  it(
    'names the port that is in use',
    inAWorkplace(async (workplace) => {
      const {port} = await startServer(workplace, {});
      const settings = {PB_SERVER_PORT: String(port), PB_LISTEN_ADDRESS: '127.0.0.1'};
      const {code, stderr} = await workplace.run('udp-server', [], settings);
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use`));
    }),
  );
});

/** @param {Workplace} workplace @param {NodeJS.ProcessEnv} settings */
async function assertAllReplied(workplace, settings) {
  const {code, stdout, stderr} = await workplace.run('udp-client', [], settings);
  assert.equal(code, 0, stdout + stderr);
  const {event, counts, retransmissions} = lastEvent(stdout);
  assert.equal(event, 'result');
  assert.deepEqual(
    [counts.sent, counts.received, counts.lost, counts.corrupted, counts.duplicated, counts.timedOut],
    [Number(settings.PB_SAMPLES), Number(settings.PB_SAMPLES), 0, 0, 0, 0],
  );
  assert.ok(counts.verified > 0);
  return {retransmissions};
}

describe('a battle with UDP', {timeout: 1_200_000}, () => {
  const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--transport', 'udp'];

  it(
    'measures round trips, a pipeline and a stream, with and without batching',
    inAWorkplace(async (workplace) => {
      const what = ['--workload', 'rtt,pipeline,stream', '--payload', '1kb,200kb', '--window', '4'];
      const {code, stderr} = await workplace.battle([...short, ...what, '--udp-batch', 'on,off']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'udp');
      // Two sizes of each workload, and of the stream with and without batching: a request is not batched.
      assert.equal(cells.length, 8);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const {lost, corrupted, duplicated, reordered} = cell.counts;
        assert.deepEqual([lost, corrupted, duplicated, reordered], [0, 0, 0, 0]);
        assert.deepEqual(cell.labels.settings.includes('no batching'), cell.variant.udpBatch === false);
        assert.equal(cell.variant.udpDatagramBytes, 1472);
        for (const end of ['server', 'client'])
          for (const buffer of ['Receive', 'Send'])
            assert.ok(Number(cell.variant[`${end}${buffer}BufferBytes`]) > 0);
      }
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );

  it(
    'is not part of a battle for which no transport is named',
    inAWorkplace(async (workplace) => {
      const {code, stdout} = await workplace.battle(['--dry-run']);
      assert.equal(code, 0);
      assert.doesNotMatch(stdout, /UDP/);
    }),
  );

  it(
    'fails the cell and goes on when the server is killed',
    inAWorkplace(async (workplace) => {
      const length = ['--rounds', '1', '--duration', '400ms', '--warmup', '20', '--payload', '1kb'];
      const battle = workplace.start('battle', [...length, '--transport', 'udp', '--seed', '2']);
      process.kill(await untilRoleRuns(battle.pid, 'udp-server'), 'SIGKILL');
      const {code} = await battle.ended;
      assert.equal(code, 1);
      const outcomes = (await workplace.cells()).map(({transport, outcome}) => [transport, outcome]);
      assert.deepEqual(Object.fromEntries(outcomes), {tcp: 'completed', udp: 'failed'});
      assert.deepEqual(await workplace.leftovers(), []);
    }),
  );
});

describe('a battle with UDP between hosts', {timeout: 1_200_000}, () => {
  const network = hostsWithCaches(['alpha', 'beta']);

  it(
    'measures round trips and a stream over an Ethernet link',
    inAWorkplace(async (workplace) => {
      const length = ['--rounds', '1', '--samples', '20', '--warmup', '5', '--payload', '1kb,1000kb'];
      const where = ['--client-on', 'alpha', '--server-on', 'beta', '--workload', 'rtt,stream'];
      const {code, stderr} = await workplace.battle([...length, '--transport', 'udp', ...where], {
        PB_SSH_CONFIG: network().sshConfig,
      });
      assert.equal(code, 0, stderr);
      const all = await workplace.cells();
      const cells = all.filter(({transport}) => transport === 'udp');
      assert.equal(cells.length, 4);
      for (const cell of all) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const isOwnTask = cell.transport === 'udp';
        for (const {retransmissions} of cell.trials) assert.equal(retransmissions !== null, isOwnTask);
      }
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.equal(cell.counts.lost, 0);
      }
      assert.deepEqual(await leftoversOnHostsWithin(network(), 5000), []);
    }),
  );
});
