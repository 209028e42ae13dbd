import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {text} from 'node:stream/consumers';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {keptGarbage, keptMemory} from '../../../src/hosts/host.js';
import {sharedBroker} from '../support/broker.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {asksForPolling, canPoll} from '../support/polling.js';
import {freePort, listeningAddresses} from '../support/ports.js';
import {environmentOf} from '../support/program.js';
import {stopAgainAndAgain} from '../support/stop-again-and-again.js';

/** @import {Program} from '../support/program.js' */

const repository = new URL('../../../', import.meta.url);
const short = {PB_SAMPLES: '60', PB_WARMUP: '20'};
const allAddresses = ['00000000', '00000000000000000000000000000000'];

describe('a pair by hand', {timeout: 1_200_000, concurrency: 2}, () => {
  const broker = sharedBroker();

  /** What a pair needs to meet: a port, or names on the broker. @param {string} transport */
  async function place(transport) {
    if (transport !== 'rabbitmq') return {PB_SERVER_PORT: String(await freePort())};
    const name = `hand-${Math.random().toString(36).slice(2)}`;
    return {...broker().environment, PB_RABBITMQ_QUEUE: name, PB_RABBITMQ_EXCHANGE: name};
  }

  it(
    'runs by the lines of README, word by word',
    inAWorkplace(async (workplace) => {
      const readme = await readFile(new URL('README.md', repository), 'utf8');
      const [, block = ''] = /^## By hand$.*?^```bash$(.*?)^```$/ms.exec(readme) ?? [];
      const lines = block.split('\n').filter((line) => line !== '');
      assert.equal(lines.length, 4);
      const env = environmentOf({
        ...{cwd: workplace.path, temporary: workplace.temporary},
        environment: {...broker().environment, ...short},
      });
      for (const [index, line] of lines.entries()) {
        if (index % 2 === 1) continue;
        const run = (/** @type {string} */ words) =>
          spawn('bash', ['-c', `exec env ${words}`], {
            cwd: repository,
            env,
            stdio: ['ignore', 'pipe', 'inherit'],
          });
        const server = run(line);
        const ended = once(server, 'close');
        const client = run(lines[index + 1]);
        const [printed, [code]] = await Promise.all([text(client.stdout), once(client, 'close')]);
        server.kill();
        await ended;
        assert.equal(code, 0, printed);
        assert.match(printed, index === 0 ? /^RabbitMQ mode 2, 1kb, 60\b/m : /^HTTP, 100kb, 60\b/m);
      }
    }),
  );

  for (const {transport, settings, heading, stop, code} of [
    {transport: 'tcp', settings: {}, heading: 'TCP, 1kb, 60', stop: 'SIGTERM', code: 143},
    {transport: 'http', settings: {}, heading: 'HTTP, 1kb, 60', stop: 'SIGINT', code: 130},
    {
      transport: 'http',
      settings: {PB_PAYLOAD_BYTES: '102400'},
      heading: 'HTTP, 100kb, 60',
      stop: 'SIGTERM',
      code: 143,
    },
    {transport: 'websocket', settings: {}, heading: 'Web Sockets, 1kb, 60', stop: 'SIGINT', code: 130},
    {
      transport: 'websocket',
      settings: {PB_PAYLOAD_BYTES: '102400'},
      heading: 'Web Sockets, 100kb, 60',
      stop: 'SIGTERM',
      code: 143,
    },
    {
      transport: 'rabbitmq',
      settings: {PB_RABBITMQ_DELIVERY_MODE: '1'},
      heading: 'RabbitMQ mode 1, 1kb, 60',
      stop: 'SIGTERM',
      code: 143,
    },
    {
      transport: 'rabbitmq',
      settings: {PB_RABBITMQ_DELIVERY_MODE: '2', PB_PAYLOAD_BYTES: '102400'},
      heading: 'RabbitMQ mode 2, 100kb, 60',
      stop: 'SIGINT',
      code: 130,
    },
  ]) {
    it(
      `measures ${heading} round trips, and its server stays until ${stop}`,
      inAWorkplace(async (workplace) => {
        const environment = {...short, ...settings, ...(await place(transport))};
        const server = workplace.start(`${transport}-server`, [], environment);
        await server.says(/server ready/);
        if (transport !== 'rabbitmq') {
          for (const address of await listeningAddresses(server.scriptPid()))
            assert.ok(allAddresses.includes(address));
          assert.equal((await listeningAddresses(server.scriptPid())).length, 1);
        }
        for (let run = 1; run <= 2; run += 1) {
          const client = await workplace.run(`${transport}-client`, [], environment);
          assert.equal(client.code, 0, client.stderr);
          assert.ok(client.stdout.startsWith(`${heading} round trips after 20 to warm up\n`), client.stdout);
          assertFigures(client.stdout);
        }
        assert.equal(server.child.exitCode, null, 'the server stays');
        server.child.kill(/** @type {NodeJS.Signals} */ (stop));
        const ended = await server.ended;
        assert.deepEqual({code: ended.code, stderr: ended.stderr}, {code, stderr: ''});
      }),
    );
  }

  for (const transport of [
    'tcp',
    'http',
    'http2',
    'grpc',
    'sse',
    'websocket',
    'socketio',
    'zeromq',
    'rabbitmq',
  ]) {
    it(
      `waits for a ${transport} server that is started after its client`,
      inAWorkplace(async (workplace) => {
        const environment = {...short, ...(await place(transport))};
        const client = workplace.start(`${transport}-client`, [], environment);
        await client.says(/Warning: the server is not available yet; waiting up to 30 s for it/);
        await sleep(250);
        const server = workplace.start(`${transport}-server`, [], environment);
        const {code, stdout, stderr} = await client.ended;
        assert.equal(code, 0, stderr);
        assertFigures(stdout);
        server.child.kill('SIGTERM');
        assert.equal((await server.ended).code, 143);
      }),
    );

    it(
      `gives up after PB_CONNECT_TIMEOUT when there is no ${transport} server`,
      inAWorkplace(async (workplace) => {
        const environment = {...short, ...(await place(transport)), PB_CONNECT_TIMEOUT: '700ms'};
        const began = performance.now();
        const {code, stdout, stderr} = await workplace.run(`${transport}-client`, [], environment);
        const tookMs = performance.now() - began;
        assert.equal(code, 1);
        assert.equal(stdout, '');
        assert.match(
          stderr,
          /perf-battle: No server could be reached within 0\.7 s \(--connect-timeout\): .+/,
        );
        assert.doesNotMatch(stderr, /\n\s+at /, 'no stack for something that is expected');
        assert.ok(tookMs > 450 && tookMs < 20_000, `it took ${tookMs} ms`);
      }),
    );
  }

  it(
    'gives up at once with a flag of 0 s, which beats the variable',
    inAWorkplace(async (workplace) => {
      const environment = {...short, ...(await place('tcp')), PB_CONNECT_TIMEOUT: '30s'};
      const {code, stderr} = await workplace.run('tcp-client', ['--connect-timeout', '0'], environment);
      assert.equal(code, 1);
      assert.match(stderr, /^perf-battle: No server could be reached: connect ECONNREFUSED/);
    }),
  );

  for (const transport of [
    'tcp',
    'http',
    'http2',
    'grpc',
    'sse',
    'websocket',
    'socketio',
    'zeromq',
    'rabbitmq',
  ]) {
    it(
      `sends again over ${transport} what a server that stops for a moment has not answered`,
      inAWorkplace(async (workplace) => {
        const environment = {
          ...(await place(transport)),
          ...{PB_OUTPUT: 'ndjson', PB_WARMUP: '0', PB_DURATION: '2s', PB_TIMEOUT: '200ms', PB_RETRIES: '50'},
        };
        const server = workplace.start(`${transport}-server`, [], environment);
        await server.says(/\n/);
        const client = workplace.start(`${transport}-client`, [], environment);
        await client.says(/"ready"/);
        await stopAgainAndAgain(server, client);
        const {code, stdout, stderr} = await client.ended;
        assert.equal(code, 0, `${stdout}${stderr}`);
        const [, result] = parseEvents(stdout);
        const {counts, rtt} = result;
        assert.equal(counts.lost, 0);
        assert.ok(counts.retried >= 1 && counts.retried === counts.timedOut, JSON.stringify(counts));
        assert.ok(rtt.maxMs >= 600, 'a request that is sent again is as old as its first attempt');
      }),
    );
  }

  it(
    'lets idle cores poll while its client measures, as a battle does, unless PB_CORES=sleeping',
    inAWorkplace(async (workplace) => {
      for (const cores of ['awake', 'sleeping']) {
        const environment = {
          ...(await place('tcp')),
          PB_CORES: cores,
          PB_DURATION: '60s',
          PB_OUTPUT: 'ndjson',
        };
        const server = workplace.start('tcp-server', [], environment);
        await server.says(/\n/);
        const client = workplace.start('tcp-client', [], environment);
        await client.says(/"ready"/);
        assert.equal(asksForPolling(client.scriptPid()), cores === 'awake' && canPoll());
        assert.equal(asksForPolling(server.scriptPid()), false);
        for (const one of [client, server]) {
          one.child.kill('SIGTERM');
          await one.ended;
        }
      }
    }),
  );

  for (const library of ['node', 'express', 'fastify']) {
    it(
      `has in memory what the HTTP server of ${library} needs, and of the client's library what it uses`,
      inAWorkplace(async (workplace) => {
        const variant = {PB_HTTP_SERVER: library, NODE_DEBUG: 'module'};
        const environment = {...short, ...variant, ...(await place('http'))};
        const server = workplace.start('http-server', [], environment);
        await server.says(/server ready/);
        const client = await workplace.run('http-client', [], environment);
        assert.equal(client.code, 0, client.stderr);
        for (const framework of ['express', 'fastify'])
          assert.equal(server.output().includes(`/node_modules/${framework}/`), library === framework);
        assert.match(client.stderr, /\/undici\/lib\/dispatcher\/pool\.js/);
        assert.doesNotMatch(client.stderr, /\/undici\/(?:index\.js|lib\/web\/)/);
      }),
    );
  }

  for (const transport of ['http', 'rabbitmq']) {
    it(
      `tells ${transport} as events with PB_OUTPUT=ndjson`,
      inAWorkplace(async (workplace) => {
        const environment = {...short, ...(await place(transport)), PB_OUTPUT: 'ndjson'};
        const server = workplace.start(`${transport}-server`, [], environment);
        await server.says(/\n/);
        const {code, stdout, stderr} = await workplace.run(`${transport}-client`, [], environment);
        assert.equal(code, 0, stderr);
        const [ready, result, ...more] = parseEvents(stdout);
        assert.deepEqual(more, []);
        assert.equal(ready.event, 'ready');
        assert.equal(ready.transport, transport);
        assert.equal(result.event, 'result');
        assert.deepEqual(result.counts, {
          ...{sent: 60, received: 60, lost: 0, verified: 60},
          ...{duplicated: 0, reordered: 0, corrupted: 0, retried: 0, timedOut: 0},
        });
        assert.equal(result.rtt.samples, 60);
        assert.ok(result.rtt.minMs > 0 && result.rtt.minMs <= result.rtt.p50Ms);
        assert.ok(result.rtt.minMs <= result.rtt.meanMs && result.rtt.meanMs <= result.rtt.maxMs);
        assert.equal(result.rtt.p99Ms, null, 'fewer than ten of 60 samples lie above it');
        assert.ok(Math.abs(result.throughput.messagesPerSecond * result.rtt.meanMs - 1000) < 0.001);
        assert.equal(
          Math.round(result.throughput.bytesPerSecond),
          Math.round(result.throughput.messagesPerSecond * 1024),
        );
        const pid = server.scriptPid();
        server.child.kill('SIGTERM');
        const [serverReady, ...later] = parseEvents((await server.ended).stdout);
        assert.equal(serverReady.event, 'ready');
        assert.equal(serverReady.pid, pid);
        assert.deepEqual(later, []);
      }),
    );
  }

  it(
    'tells a failure as an event too',
    inAWorkplace(async (workplace) => {
      const environment = {...(await place('tcp')), PB_OUTPUT: 'ndjson', PB_CONNECT_TIMEOUT: '0'};
      const {code, stdout} = await workplace.run('tcp-client', [], environment);
      assert.equal(code, 1);
      const [error] = parseEvents(stdout);
      assert.deepEqual([error.event, error.code, error.exitCode], ['error', 'PB_NO_SERVER', 1]);
      assert.match(error.message, /ECONNREFUSED/);
    }),
  );

  it(
    'reads .env in the working directory, below the environment',
    inAWorkplace(async (workplace) => {
      const {PB_SERVER_PORT} = await place('http');
      const lines = ['OTHER=1', `PB_SERVER_PORT=${PB_SERVER_PORT}`, 'PB_SAMPLES=30', 'PB_PAYLOAD_BYTES=2kb'];
      await writeFile(workplace.file('.env'), `${lines.join('\n')}\n`);
      const server = workplace.start('http-server');
      await server.says(new RegExp(`server ready: \\S+:${PB_SERVER_PORT}\\.`));
      const {stdout, stderr} = await workplace.run('http-client', [], {PB_SAMPLES: '40', PB_WARMUP: '20'});
      assert.match(stdout, /^HTTP, 2kb, 40 round trips after 20 to warm up\n/, stderr);
    }),
  );

  for (const script of ['tcp-client', 'tcp-server', 'rabbitmq-client']) {
    it(
      `refuses an unknown PB_ name in .env when ${script} starts`,
      inAWorkplace(async (workplace) => {
        await writeFile(workplace.file('.env'), 'PB_SAMPELS=30\n');
        const {code, stdout, stderr} = await workplace.run(script);
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''});
        assert.match(
          stderr,
          /PB_SAMPELS in \.env is not a variable of perf-battle\. Did you mean PB_SAMPLES\?/,
        );
      }),
    );
  }

  for (const {given, named, shown, allowed} of [
    {
      given: {PB_PAYLOAD_BYTES: '64q'},
      named: 'PB_PAYLOAD_BYTES',
      shown: '"64q"',
      allowed: 'a number of bytes',
    },
    {
      given: {PB_RABBITMQ_DELIVERY_MODE: '3'},
      named: 'PB_RABBITMQ_DELIVERY_MODE',
      shown: '"3"',
      allowed: '1 \\(tr',
    },
    {given: {PB_TIMEOUT: 'soon'}, named: 'PB_TIMEOUT', shown: '"soon"', allowed: 'a time'},
  ]) {
    it(
      `refuses ${named}=${shown} before anything starts`,
      inAWorkplace(async (workplace) => {
        const {code, stdout, stderr} = await workplace.run('rabbitmq-client', [], given);
        assert.deepEqual({code, stdout}, {code: 2, stdout: ''});
        assert.match(stderr, new RegExp(`${named} must be ${allowed}.*; it is ${shown}`));
      }),
    );
  }

  for (const transport of ['tcp', 'http', 'http2', 'grpc', 'sse', 'websocket', 'socketio', 'zeromq']) {
    it(
      `names the port that a ${transport} server cannot have`,
      inAWorkplace(async (workplace) => {
        const environment = await place(transport);
        const first = workplace.start(`${transport}-server`, [], environment);
        await first.says(/server ready/);
        const {code, stdout, stderr} = await workplace.run(`${transport}-server`, [], environment);
        assert.deepEqual({code, stdout}, {code: 1, stdout: ''});
        assert.match(stderr, new RegExp(`port ${environment.PB_SERVER_PORT} on all addresses is in use`));
        assert.doesNotMatch(stderr, /\n\s+at /);
        first.child.kill('SIGTERM');
        await first.ended;
      }),
    );
  }

  it(
    'listens on the address that it is told, and on no other',
    inAWorkplace(async (workplace) => {
      const environment = {...(await place('http')), PB_LISTEN_ADDRESS: '127.0.0.1'};
      const server = workplace.start('http-server', [], environment);
      await server.says(/server ready: 127\.0\.0\.1:/);
      assert.deepEqual(await listeningAddresses(server.scriptPid()), ['0100007F']);
    }),
  );

  for (const {title, environment, parameters, keeps} of [
    {title: 'keeps freed memory as in a battle', environment: {}, parameters: [], keeps: true},
    {
      title: 'has the memory settings of Node.js and its allocator with PB_KEEP_MEMORY=off',
      ...{environment: {PB_KEEP_MEMORY: 'off'}, parameters: [], keeps: false},
    },
    {
      title: 'has the memory settings of Node.js and its allocator with --keep-memory off',
      ...{environment: {}, parameters: ['--keep-memory', 'off'], keeps: false},
    },
  ])
    it(
      title,
      inAWorkplace(async (workplace) => {
        const server = workplace.start('tcp-server', parameters, {...environment, ...(await place('tcp'))});
        await server.says(/server ready/);
        const [commandLine, variables] = await Promise.all(
          ['cmdline', 'environ'].map((name) => readFile(`/proc/${server.scriptPid()}/${name}`, 'utf8')),
        );
        for (const flag of keptGarbage) assert.equal(commandLine.includes(flag), keeps, commandLine);
        for (const [name, value] of Object.entries(keptMemory))
          assert.equal(variables.split('\0').includes(`${name}=${value}`), keeps, variables);
      }),
    );

  it(
    'ends with the process that was started, however that ends, and that with it',
    inAWorkplace(async (workplace) => {
      const environment = await place('tcp');
      for (const victimOf of [
        (/** @type {Program} */ {pid}) => pid,
        (/** @type {Program} */ {scriptPid}) => scriptPid(),
      ]) {
        const server = workplace.start('tcp-server', [], environment);
        await server.says(/server ready/);
        process.kill(victimOf(server), 'SIGKILL');
        const {code, signal} = await server.ended;
        assert.deepEqual([code, signal], [null, 'SIGKILL']);
        assert.deepEqual(await workplace.leftoversWithin(5000), []);
      }
    }),
  );

  it(
    'says with --help what each script does, its variables and how to start it',
    inAWorkplace(async (workplace) => {
      const files = await readdir(new URL('../../../src', import.meta.url));
      const scripts = files.flatMap((name) => /^(.*-(?:client|server))\.js$/.exec(name)?.[1] ?? []);
      assert.ok(scripts.includes('http-client') && scripts.includes('rabbitmq-server'), scripts.join());
      for (const script of scripts) {
        const {code, stdout, stderr} = await workplace.run(script, ['--help']);
        assert.deepEqual([code, stderr], [0, ''], script);
        assert.match(
          stdout,
          /^[A-Z].*: (Sends requests|Answers the requests) .*\n(?:.*\n)*?.*npx\sperf-battle\s--transport\s/,
        );
        assert.match(stdout, new RegExp(`Example:\\n  .*node \\S*${script}\\.js\\n`));
        assert.match(stdout, /^ {2}PB_PAYLOAD_BYTES \(default 1kb\)$/m);
      }
      const {code, stdout, stderr} = await workplace.run('http-client', ['help']);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        /no words, only flags and PB_ variables, which --help lists\. It was given "help"/,
      );
    }),
  );

  it(
    'says in one line that a host name does not exist',
    inAWorkplace(async (workplace) => {
      const environment = {PB_SERVER_HOST: 'no-such-host.invalid', PB_CONNECT_TIMEOUT: '300ms'};
      const {code, stderr} = await workplace.run('tcp-client', [], environment);
      assert.equal(code, 1);
      assert.match(stderr, /no-such-host\.invalid/);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }),
  );
});

/** @param {string} stdout what a client printed */
function assertFigures(stdout) {
  const figure = '(\\d+\\.\\d{4}) ms';
  const pattern = `\\nmean ${figure}\\nmin  ${figure}\\np50  ${figure}\\np99  n/a\\nmax  ${figure}\\nn    60\\n$`;
  const match = stdout.match(new RegExp(pattern));
  assert.ok(match, stdout);
  const [mean, minimum, median, maximum] = match.slice(1).map(Number);
  assert.ok(0 < minimum && minimum <= mean && mean <= maximum && minimum <= median, stdout);
}

/** @param {string} stdout @returns {Record<string, any>[]} */
function parseEvents(stdout) {
  assert.ok(stdout.endsWith('\n'));
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
