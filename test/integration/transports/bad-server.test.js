import assert from 'node:assert/strict';
import {once} from 'node:events';
import {Agent, request as sendRequest} from 'node:http';
import {connect} from 'node:net';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {startHostileServer} from '../../torture/hostile-servers.js';
import {startBadServer} from '../support/bad-servers.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {failureIn} from '../support/failure-in.js';
import {freePort} from '../support/ports.js';

/** @import {Workplace} from '../support/workplace.js' */

const transports = ['http', 'http2', 'grpc', 'websocket', 'tcp', 'sse', 'socketio', 'zeromq'];
const limitBytes = 128 * 1024 * 1024;
/** Far more than its timeouts, so that the start of a process on a busy host fits. */
const patienceMs = 20_000;
/** After which a server of Node.js closes an idle connection unless told otherwise. */
const defaultKeepAliveMs = 5000;

describe('a client by hand whose server', {timeout: 1_200_000, concurrency: 2}, () => {
  for (const transport of transports) {
    for (const {misbehaviour, title, expected, message} of /** @type {const} */ ([
      {
        misbehaviour: 'flip',
        title: 'changes a byte',
        expected: 'PB_WRONG_REPLY',
        message: /offset 700: .*0x[\da-f]{2}.*0x[\da-f]{2}/,
      },
      {
        misbehaviour: 'silence',
        title: 'answers no more',
        expected: 'PB_NO_REPLY',
        message: /300 ms \(--timeout\)/,
      },
      {
        misbehaviour: 'close',
        title: 'closes in the middle of a reply',
        expected: 'PB_CONNECTION_LOST',
        message: /./,
      },
    ])) {
      it(
        `${title} over ${transport} ends with 1 and says so in a line`,
        inAWorkplace(async (workplace) => {
          const server = await startBadServer(transport, misbehaviour);
          const environment = {PB_SERVER_PORT: String(server.port), PB_TIMEOUT: '300ms', PB_SAMPLES: '50'};
          const {code, stdout, stderr} = await workplace.run(`${transport}-client`, [], {
            ...environment,
            PB_SERVER_HOST: '127.0.0.1',
            PB_OUTPUT: 'ndjson',
          });
          server.close();
          assert.deepEqual({code, stderr}, {code: 1, stderr: ''});
          assertFailure(stdout, expected, message);
        }),
      );
    }

    it(
      `accepts over ${transport} and never says a word ends with 1 within its timeouts`,
      inAWorkplace(async (workplace) => {
        const server = await startBadServer(transport, 'deaf');
        const client = workplace.start(`${transport}-client`, [], {
          PB_SERVER_PORT: String(server.port),
          PB_SERVER_HOST: '127.0.0.1',
          PB_TIMEOUT: '300ms',
          PB_CONNECT_TIMEOUT: '600ms',
          PB_OUTPUT: 'ndjson',
        });
        const outcome = await Promise.race([client.ended, sleep(patienceMs, null, {ref: false})]);
        server.close();
        assert.ok(outcome, `it still waits after ${patienceMs} ms: ${client.output()}`);
        assert.deepEqual({code: outcome.code, stderr: outcome.stderr}, {code: 1, stderr: ''});
        const isConnected = failureIn(outcome.stdout).code === 'PB_NO_REPLY';
        if (isConnected) assertFailure(outcome.stdout, 'PB_NO_REPLY', /300 ms \(--timeout\)/);
        else assertFailure(outcome.stdout, 'PB_NO_SERVER', /0\.6 s \(--connect-timeout\)/);
      }),
    );
  }

  for (const [transport, library] of [
    ['http', 'undici'],
    ['http', 'node'],
    ['http', 'fetch'],
    ['http2', 'node:http2'],
  ]) {
    for (const {misbehaviour, title, message} of /** @type {const} */ ([
      {
        misbehaviour: 'boast',
        title: 'announces 10 GiB',
        message: /\b10737418240\b.*\b134217728\b/,
      },
      {misbehaviour: 'flood', title: 'sends without an end', message: /more .*\b134217728\b/},
    ])) {
      it(
        `${title} fills no memory of a client with ${library}, which ends with 1 and says so in a line`,
        inAWorkplace(async (workplace) => {
          const server = await startBadServer(transport, misbehaviour);
          const {code, stdout, stderr} = await workplace.run(`${transport}-client`, [], {
            ...{PB_SERVER_PORT: String(server.port), PB_SERVER_HOST: '127.0.0.1'},
            ...(transport === 'http' && {PB_HTTP_CLIENT: library}),
            ...{PB_SAMPLES: '50', PB_OUTPUT: 'ndjson'},
          });
          server.close();
          assert.deepEqual({code, stderr}, {code: 1, stderr: ''});
          assertFailure(stdout, 'PB_FRAME_TOO_LONG', message);
        }),
      );
    }
  }

  it(
    'loses one reply in the measured part, without which it goes on, ends with 1 after the figures',
    inAWorkplace(async (workplace) => {
      // Two good replies for each connection: the third request of each times out, and a new connection is made.
      const server = await startBadServer('tcp', 'fatigue');
      const {code, stdout, stderr} = await workplace.run('tcp-client', [], {
        PB_SERVER_PORT: String(server.port),
        PB_SERVER_HOST: '127.0.0.1',
        PB_TIMEOUT: '200ms',
        PB_WARMUP: '1',
        PB_SAMPLES: '4',
        PB_OUTPUT: 'ndjson',
      });
      server.close();
      assert.equal(code, 1, stderr);
      const events = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const result = events.find(({event}) => event === 'result');
      const {sent, received, lost, verified, timedOut} = result.counts;
      assert.deepEqual(
        {sent, received, lost, verified, timedOut},
        {sent: 4, received: 3, lost: 1, verified: 3, timedOut: 1},
      );
      assert.ok(result.rtt.maxMs >= 200, 'the time that was waited is in');
      assert.match(events.at(-1).message, /1 of 4 requests timed out/);
    }),
  );

  it(
    'is not a WebSocket server at all says so in a line',
    inAWorkplace(async (workplace) => {
      const server = await startBadServer('http', 'flip');
      const {code, stderr} = await workplace.run('websocket-client', [], {
        PB_SERVER_PORT: String(server.port),
        PB_SERVER_HOST: '127.0.0.1',
        PB_CONNECT_TIMEOUT: '0',
      });
      server.close();
      assert.equal(code, 1);
      assert.match(stderr, /^perf-battle: .*\b200\b.*\n$/);
    }),
  );
});

describe('a client of a hostile WebSocket server', {timeout: 180_000}, () => {
  for (const [hostility, expected, message] of /** @type {const} */ ([
    ['boasts', 'PB_FRAME_TOO_LONG', /\(Max payload size exceeded\)/],
    ['talks nonsense', 'PB_CONNECTION_LOST', /\(Invalid WebSocket frame: .*\)/],
  ])) {
    it(
      `that ${hostility} in the same breath as the upgrade ends with 1 and says so in a line`,
      inAWorkplace(async (workplace) => {
        const server = await startHostileServer('websocket', hostility);
        const {code, stdout, stderr} = await workplace.run('websocket-client', [], {
          PB_SERVER_PORT: String(server.port),
          PB_SERVER_HOST: '127.0.0.1',
          PB_OUTPUT: 'ndjson',
        });
        server.close();
        assert.deepEqual({code, stderr}, {code: 1, stderr: ''});
        assertFailure(stdout, expected, message);
      }),
    );
  }
});

describe('a server by hand', {timeout: 1_200_000, concurrency: 2}, () => {
  for (const library of ['express', 'fastify', 'node']) {
    it(
      `refuses a body over the limit by its announced length alone, with ${library}`,
      inAWorkplace(async (workplace) => {
        const port = await freePort();
        const environment = {PB_SERVER_PORT: String(port), PB_HTTP_SERVER: library};
        const server = workplace.start('http-server', [], environment);
        await server.says(/server ready/);
        const answer = await exchange(port, [
          `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${200 * 1024 * 1024}\r\n\r\n`,
          Buffer.alloc(1000),
        ]);
        assert.match(answer, /^HTTP\/1\.1 413 /);
        await assertStillServes(workplace, 'http', environment);
      }),
    );
  }

  it(
    'leaves an HTTP connection open that has no request for longer than Node.js allows by itself',
    inAWorkplace(async (workplace) => {
      const port = await freePort();
      const server = workplace.start('http-server', [], {PB_SERVER_PORT: String(port)});
      await server.says(/server ready/);
      const agent = new Agent({keepAlive: true});
      try {
        assert.deepEqual(await post(port, agent), {status: 200, reused: false});
        await sleep(defaultKeepAliveMs + 1500);
        assert.deepEqual(await post(port, agent), {status: 200, reused: true});
      } finally {
        agent.destroy();
      }
    }),
  );

  it(
    'closes a TCP connection whose frame is longer than any payload, and lives on',
    inAWorkplace(async (workplace) => {
      const port = await freePort();
      const environment = {PB_SERVER_PORT: String(port)};
      const server = workplace.start('tcp-server', [], environment);
      await server.says(/server ready/);
      for (const length of [0xffffffff, limitBytes + 1]) {
        const header = Buffer.alloc(4);
        header.writeUInt32BE(length);
        assert.equal(await exchange(port, [header, 'some bytes']), 'closed');
      }
      await assertStillServes(workplace, 'tcp', environment);
    }),
  );

  it(
    'closes a WebSocket whose message is longer than any payload, and lives on',
    inAWorkplace(async (workplace) => {
      const port = await freePort();
      const environment = {PB_SERVER_PORT: String(port)};
      const server = workplace.start('websocket-server', [], environment);
      await server.says(/server ready/);
      const upgrade = [
        ...['GET / HTTP/1.1', 'Host: here', 'Connection: Upgrade', 'Upgrade: websocket'],
        ...['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==', '', ''],
      ].join('\r\n');
      // A masked binary frame that says it is 4 GiB long.
      const frame = Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]);
      const answer = await exchange(port, [upgrade, frame], /closed$/);
      assert.match(answer, /^HTTP\/1\.1 101 /);
      await assertStillServes(workplace, 'websocket', environment);
    }),
  );
});

/**
 * The failure that a client wrote, with a message of one line.
 * @param {string} stdout @param {string} expected its code @param {RegExp} part of its message
 */
function assertFailure(stdout, expected, part) {
  const {code, message} = failureIn(stdout);
  assert.equal(code, expected, message);
  assert.match(message, part);
  assert.doesNotMatch(message, /\n/);
}

/** @param {number} port @param {Agent} agent */
async function post(port, agent) {
  const request = sendRequest({port, host: '127.0.0.1', method: 'POST', agent});
  request.end('a body');
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return {status: response.statusCode, reused: request.reusedSocket};
}

/**
 * Writes to a port and collects what comes, at most for some seconds.
 * @param {number} port
 * @param {(string | Buffer)[]} chunks
 * @param {RegExp} [enough] what ends it
 * @returns {Promise<string>} followed by "closed" when the other end closed
 */
async function exchange(port, chunks, enough = /\r\n\r\n|closed$/) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  const done = new Promise((resolve) => {
    const look = (/** @type {string} */ text) => {
      answer += text;
      if (enough.test(answer)) resolve(null);
    };
    socket.setEncoding('latin1').on('data', (text) => look(String(text)));
    socket.on('error', () => {});
    socket.on('close', () => look('closed'));
  });
  for (const chunk of chunks) socket.write(chunk);
  await Promise.race([done, sleep(3000, undefined, {ref: false})]);
  socket.destroy();
  return answer;
}

/**
 * @param {Workplace} workplace
 * @param {string} transport
 * @param {Record<string, string>} environment
 */
async function assertStillServes(workplace, transport, environment) {
  const short = {...environment, PB_SAMPLES: '20', PB_WARMUP: '5', PB_CONNECT_TIMEOUT: '0'};
  const {code, stderr} = await workplace.run(`${transport}-client`, [], short);
  assert.equal(code, 0, stderr);
}
