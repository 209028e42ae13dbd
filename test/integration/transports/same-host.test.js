import assert from 'node:assert/strict';
import {open, readdir, readFile, readlink, writeFile} from 'node:fs/promises';
import {connect, createServer} from 'node:net';
import {describe, it} from 'node:test';
import posixMq from '../../../src/transports/posix-mq/index.js';
import sharedMemory from '../../../src/transports/shared-memory/index.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {stopAgainAndAgain} from '../support/stop-again-and-again.js';
import {usedTrials} from '../support/used-trials.js';

/**
 * @import {AddressInfo} from 'node:net'
 * @import {Workplace} from '../support/workplace.js'
 */

const byHand = {PB_SAMPLES: '60', PB_WARMUP: '20', PB_OUTPUT: 'ndjson', PB_SERVER_HOST: '127.0.0.1'};

/** Of each, what a process has open that another one reaches by way of /proc. */
const transports = [
  {...posixMq, opens: /^\/perf-battle-\d+-[\da-f]{8} \(deleted\)$/},
  {...sharedMemory, opens: /^\/memfd:perf-battle \(deleted\)$/},
];

/** @param {Workplace} workplace @param {string} name @param {NodeJS.ProcessEnv} environment */
async function startServer(workplace, name, environment) {
  const settings = {...environment, PB_SERVER_PORT: '0', PB_OUTPUT: 'ndjson'};
  const server = workplace.start(`${name}-server`, [], settings);
  const [, port] = await server.says(/"address":"\S+:(\d+)"/);
  return {server, place: {PB_SERVER_PORT: port}};
}

/** @param {string} stdout @returns {Record<string, any>} the last event */
function lastEvent(stdout) {
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** @param {number} pid what its open files are */
async function openFilesOf(pid) {
  const names = await readdir(`/proc/${pid}/fd`);
  return await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
}

const loads = [
  {title: 'round trips of one byte', environment: {PB_PAYLOAD_BYTES: '1'}},
  {title: 'round trips of 1000 KB', environment: {PB_PAYLOAD_BYTES: '1000kb'}},
  {title: 'a pipeline', environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_SAMPLES: '2000'}},
  {
    title: 'a pipeline of 100 KB',
    environment: {PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_PAYLOAD_BYTES: '100kb', PB_SAMPLES: '300'},
  },
  {title: 'answers in chunks', environment: {PB_WORKLOAD: 'recordset', PB_ROWS: '2679', PB_WINDOW: '4'}},
  {title: 'requests at a rate', environment: {PB_RATE: '500', PB_SAMPLES: '200'}},
];

for (const {name, label, opens} of transports) {
  describe(`${label} by hand`, {timeout: 300_000, concurrency: 2}, () => {
    for (const {title, environment} of loads) {
      it(
        `runs ${title}, and every reply is right`,
        inAWorkplace(async (workplace) => {
          const settings = {...byHand, ...environment, PB_VERIFY: 'all'};
          const {place} = await startServer(workplace, name, settings);
          const {code, stdout, stderr} = await workplace.run(`${name}-client`, [], {...settings, ...place});
          assert.equal(code, 0, stdout + stderr);
          const {sent, received, lost, corrupted, verified} = lastEvent(stdout).counts;
          const samples = Number(settings.PB_SAMPLES);
          assert.deepEqual(
            {sent, received, lost, corrupted, verified},
            {sent: samples, received: samples, lost: 0, corrupted: 0, verified: samples},
          );
        }),
      );
    }

    for (const payload of ['1kb', '1000kb']) {
      it(
        `runs a stream of ${payload}: everything arrives once and in order`,
        inAWorkplace(async (workplace) => {
          const samples = payload === '1kb' ? 5000 : 50;
          const load = {PB_WORKLOAD: 'stream', PB_SAMPLES: String(samples), PB_PAYLOAD_BYTES: payload};
          const settings = {...byHand, ...load, PB_WARMUP: '10'};
          const {server, place} = await startServer(workplace, name, settings);
          const {code, stdout, stderr} = await workplace.run(`${name}-client`, [], {...settings, ...place});
          assert.equal(code, 0, stdout + stderr);
          const [, line] = await server.says(new RegExp(`(\\{[^\\n]*"messages":${samples},[^\\n]*\\})`));
          const {distinct, duplicated, reordered, corrupted} = JSON.parse(line);
          assert.deepEqual(
            {distinct, duplicated, reordered, corrupted},
            {distinct: samples, duplicated: 0, reordered: 0, corrupted: 0},
          );
        }),
      );
    }

    it(
      'serves several clients, survives those that are killed, and has nothing with a name',
      inAWorkplace(async (workplace) => {
        const {server, place} = await startServer(workplace, name, byHand);
        const endless = {...byHand, ...place, PB_SAMPLES: '1000000000', PB_PAYLOAD_BYTES: '100kb'};
        const victims = [1, 2].map(() => workplace.start(`${name}-client`, [], endless));
        for (const victim of victims) await victim.says(/"ready"/);
        const files = await openFilesOf(server.scriptPid());
        assert.ok(files.filter((file) => opens.test(file)).length >= 1, files.join('\n'));
        const few = {...byHand, ...place, PB_SAMPLES: '500'};
        const others = [1, 2].map(() => workplace.run(`${name}-client`, [], few));
        for (const victim of victims) process.kill(victim.pid, 'SIGKILL');
        for (const {code, stdout, stderr} of await Promise.all(others)) {
          assert.equal(code, 0, stdout + stderr);
          assert.equal(lastEvent(stdout).counts.received, 500);
        }
        server.child.kill();
        assert.equal((await server.ended).code, 143);
      }),
    );

    it(
      'sends what waits for room as it was, although its sender has given it up',
      inAWorkplace(async (workplace) => {
        const patience = {PB_TIMEOUT: '400ms', PB_RETRIES: '50', PB_WORKLOAD: 'pipeline', PB_WINDOW: '16'};
        const length = {PB_SAMPLES: '', PB_DURATION: '2s', PB_PAYLOAD_BYTES: '100kb'};
        const settings = {...byHand, ...patience, ...length, PB_VERIFY: 'all'};
        const {server, place} = await startServer(workplace, name, settings);
        const client = workplace.start(`${name}-client`, [], {...settings, ...place});
        await client.says(/"ready"/);
        await stopAgainAndAgain(server, client);
        const {code, stdout, stderr} = await client.ended;
        assert.equal(code, 0, stdout + stderr);
        const {lost, corrupted, duplicated, reordered, retried} = lastEvent(stdout).counts;
        assert.ok(retried > 0, 'the server did stop');
        assert.deepEqual(
          {lost, corrupted, duplicated, reordered},
          {lost: 0, corrupted: 0, duplicated: 0, reordered: 0},
        );
      }),
    );

    it(
      'goes on with the others while one client reads nothing, as far as it can',
      inAWorkplace(async (workplace) => {
        const {server, place} = await startServer(workplace, name, byHand);
        const stopped = workplace.start(`${name}-client`, [], {
          ...byHand,
          ...place,
          ...{PB_WORKLOAD: 'pipeline', PB_WINDOW: '64', PB_PAYLOAD_BYTES: '100kb', PB_SAMPLES: '1000000000'},
        });
        await stopped.says(/"ready"/);
        process.kill(stopped.scriptPid(), 'SIGSTOP');
        const {code, stdout} = await workplace.run(`${name}-client`, [], {...byHand, ...place});
        assert.equal(code, 0, stdout);
        stopped.child.kill('SIGKILL');
        server.child.kill();
      }),
    );

    for (const workload of ['rtt', 'stream']) {
      it(
        `fails a ${workload} whose server is killed`,
        inAWorkplace(async (workplace) => {
          const load = {...byHand, PB_WORKLOAD: workload, PB_SAMPLES: '1000000000', PB_TIMEOUT: '60s'};
          const {server, place} = await startServer(workplace, name, load);
          const client = workplace.start(`${name}-client`, [], {...load, ...place});
          await client.says(/"ready"/);
          process.kill(server.scriptPid(), 'SIGKILL');
          const {code, stdout} = await client.ended;
          assert.equal(code, 1, stdout);
          const {code: why, message} = lastEvent(stdout);
          assert.deepEqual([why, message], ['PB_CONNECTION_LOST', `The ${label} server ended.`]);
        }),
      );
    }

    it(
      'says what is wrong with the other end, which a stranger does not disturb',
      inAWorkplace(async (workplace) => {
        const {server, place} = await startServer(workplace, name, byHand);
        const victim = workplace.file('victim');
        await writeFile(victim, 'precious');
        const file = await open(victim);
        const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
        const ownPlace = `${bootId} ${await readlink('/proc/self/ns/pid')}`;
        const offered = {
          pid: process.pid,
          queue: file.fd,
          messageBytes: 8192,
          ring: file.fd,
          doorbell: file.fd,
        };
        const filesBefore = (await openFilesOf(server.scriptPid())).length;
        for (const greeting of [
          '{"offer": {"pid": -1}, "own": 1}\n',
          'x'.repeat(10_000),
          'GET / HTTP/1.1\n',
          `${JSON.stringify({place: ownPlace, offer: offered, own: 0})}\n`,
        ]) {
          const stranger = connect(Number(place.PB_SERVER_PORT), '127.0.0.1');
          stranger.on('error', () => {});
          stranger.end(greeting);
          await new Promise((resolve) => stranger.resume().once('close', resolve));
        }
        await file.close();
        assert.equal(await readFile(victim, 'utf8'), 'precious');
        const deadline = Date.now() + 5000;
        while ((await openFilesOf(server.scriptPid())).length > filesBefore)
          assert.ok(Date.now() < deadline, 'nothing of them stays open');
        const {code} = await workplace.run(`${name}-client`, [], {...byHand, ...place});
        assert.equal(code, 0, server.output());
        for (const {answer, message} of [
          {answer: 'HTTP/1.1 400 Bad Request\r\n\r\n', message: /said something else than how to reach it/},
          {
            answer: `${JSON.stringify({place: 'elsewhere', offer: {pid: 1}, own: 1})}\n`,
            message: /connects two processes of one host; the other end is on another host/,
          },
          {answer: '{"error": "It has no more files."}\n', message: /It has no more files\./},
        ]) {
          const liar = createServer((socket) => socket.on('error', () => {}).end(answer));
          await new Promise((resolve) => liar.listen(0, '127.0.0.1', () => resolve(null)));
          const {port} = /** @type {AddressInfo} */ (liar.address());
          const settings = {...byHand, PB_SERVER_PORT: String(port), PB_CONNECT_TIMEOUT: '300ms'};
          const {code: exitCode, stdout} = await workplace.run(`${name}-client`, [], settings);
          liar.close();
          assert.equal(exitCode, 1);
          assert.match(lastEvent(stdout).message, message);
        }
      }),
    );
  });
}

describe('a battle within one host', {timeout: 600_000}, () => {
  it(
    'has rows of both, and says what they are',
    inAWorkplace(async (workplace) => {
      const names = transports.map(({name}) => name).join();
      const load = [
        '--workload',
        'rtt,pipeline,stream',
        '--samples',
        '300',
        '--warmup',
        '50',
        '--rounds',
        '1',
      ];
      const flags = ['--transport', names, '--payload', '1kb,100kb', '--window', '16', ...load];
      const {code, stdout, stderr} = await workplace.battle(flags);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport !== 'tcp');
      assert.equal(cells.length, 12);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        const count = 300 * usedTrials(cell);
        assert.deepEqual([cell.counts.received, cell.counts.lost, cell.counts.corrupted], [count, 0, 0]);
        assert.ok(!cell.verdict.warnings.some(({code: why}) => why === 'below-floor'));
        if (cell.transport === posixMq.name) assert.ok(Number(cell.variant.queueMessageBytes) > 0);
      }
      const text = stdout.replace(/\s+/g, ' ');
      assert.match(text, /POSIX queues \(\d+ × \d+ bytes\)/);
      assert.match(text, /Shared memory connects processes of one host only\./);
      assert.deepEqual(await workplace.leftoversWithin(5000), []);
    }),
  );
});
