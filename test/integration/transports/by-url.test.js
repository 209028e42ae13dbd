import assert from 'node:assert/strict';
import {readFile, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {after, describe, it} from 'node:test';
import {Server, ServerCredentials, status} from '@grpc/grpc-js';
import {WebSocketServer} from 'ws';
import {makeCertificates} from '../support/certificates.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {listenHere} from '../support/listen.js';

/**
 * @import {sendUnaryData, ServerUnaryCall} from '@grpc/grpc-js'
 * @import {IncomingMessage, RequestListener} from 'node:http'
 */

const short = ['--rounds', '1', '--samples', '40', '--warmup', '10', '--payload', '1kb'];
const alone = [...short, '--transport', 'by-url'];

/** @param {(body: Buffer, request: IncomingMessage) => {status?: number, body?: Buffer | string}} answer */
function answering(answer) {
  /** @type {RequestListener} */
  return (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const {status = 200, body = '{"ok":true}'} = answer(Buffer.concat(chunks), request);
      response.writeHead(status).end(body);
    });
  };
}

const echo = answering((body) => ({body}));

/** @param {string} stdout */
function cellsIn(stdout) {
  return JSON.parse(stdout).cells;
}

describe('a server that is already there', {concurrency: 2, timeout: 600_000}, () => {
  /** @type {(() => void)[]} */
  const closing = [];
  after(() => {
    for (const close of closing) close();
  });

  /** @param {Parameters<typeof listenHere>[0]} server */
  async function listen(server) {
    const {port, close} = await listenHere(server);
    closing.push(close);
    return port;
  }

  it(
    'is measured beside our own, against raw TCP, and gets the requests alone',
    inAWorkplace(async (workplace) => {
      /** @type {{method: string | undefined, url: string | undefined, headers: Record<string, unknown>, bytes: number}[]} */
      const seen = [];
      const port = await listen(
        createServer(
          answering((body, {method, url, headers}) => {
            seen.push({method, url, headers, bytes: body.length});
            return {};
          }),
        ),
      );
      await writeFile(workplace.file('headers'), 'Authorization: Bearer s3cret\nContent-Type: text/plain\n');
      const {code, stdout, stderr} = await workplace.battle([
        ...[...short, '--transport', 'http', '--json', '--url-headers', 'headers', '--url-method', 'put'],
        ...['--url', `http=http://127.0.0.1:${port}/v1/ask?a=1,2`],
      ]);
      assert.equal(code, 0, stderr);
      const cells = cellsIn(stdout);
      assert.deepEqual(
        cells.map((/** @type {any} */ {transport}) => transport),
        ['tcp', 'http', 'http', 'by-url'],
      );
      const [own] = cells.slice(-1);
      assert.equal(own.labels.facilitator, `HTTP 127.0.0.1:${port}/v1/ask?a=1,2`);
      assert.deepEqual(own.labels.settings, ['PUT', 'status reply', 'given server']);
      assert.equal(own.counts.received, own.counts.sent);
      assert.equal(own.counts.verified, 0, 'nothing is known of the content');
      // One round. On a busy host it may be below 1.
      const expected = own.rtt.meanMs / cells[0].rtt.meanMs;
      assert.ok(Math.abs(own.floor.ratio / expected - 1) < 1e-9, `${own.floor.ratio}, ${expected}`);
      assert.equal(own.environment, 'local');
      assert.ok(seen.length >= 50);
      for (const {method, url, headers, bytes} of seen) {
        assert.deepEqual([method, url, bytes], ['PUT', '/v1/ask?a=1,2', 1024]);
        assert.equal(headers.authorization, 'Bearer s3cret');
        assert.equal(headers['content-type'], 'text/plain');
      }
      for (const file of ['results.ndjson', 'results.md'])
        assert.doesNotMatch(await readFile(workplace.file(file), 'utf8'), /s3cret/);
      const later = await workplace.battle(['table']);
      assert.match(later.stdout, /v1\/ask/);
    }),
  );

  it(
    'answers by any status, by one of success, or by the bytes of the request',
    inAWorkplace(async (workplace) => {
      const other = await listen(createServer(answering(() => ({status: 404, body: 'no'}))));
      const same = await listen(createServer(echo));
      const [notFound, echoing] = [other, same].map((port) => `http=http://127.0.0.1:${port}/`);
      const any = await workplace.battle([...alone, '--url', notFound, '--reply', 'any', '--json']);
      assert.equal(any.code, 0, any.stderr);
      assert.deepEqual(cellsIn(any.stdout).at(-1).labels.settings, ['any reply', 'given server']);
      const refused = await workplace.battle([...alone, '--url', notFound]);
      assert.equal(refused.code, 1);
      assert.match(refused.stdout.replace(/\s+/g, ' '), /The HTTP server answered 404: no/);
      const wrong = await workplace.battle([
        ...alone,
        '--url',
        notFound.replace('404', ''),
        '--reply',
        'echo',
      ]);
      assert.equal(wrong.code, 1);
      const right = await workplace.battle([...alone, '--url', echoing, '--reply', 'echo', '--json']);
      assert.equal(right.code, 0, right.stderr);
      const cell = cellsIn(right.stdout).at(-1);
      assert.deepEqual(cell.labels.settings, ['given server']);
      assert.equal(cell.counts.verified, cell.counts.sent);
    }),
  );

  for (const status of [404, 405, 501])
    it(
      `says how to send a GET instead of the default POST, if the answer is ${status}`,
      inAWorkplace(async (workplace) => {
        const port = await listen(createServer(answering(() => ({status}))));
        const url = ['--url', `http=http://127.0.0.1:${port}/health`];
        const [byPost, byGet] = await Promise.all(
          [[], ['--url-method', 'GET']].map((words) => workplace.battle([...alone, ...url, ...words])),
        );
        const asText = (/** @type {{stdout: string}} */ {stdout}) => stdout.replace(/\s+/g, ' ');
        assert.match(asText(byPost), new RegExp(`answered ${status}.*--url-method GET`));
        assert.match(asText(byGet), new RegExp(`answered ${status}`));
        assert.doesNotMatch(asText(byGet), /is read by GET/);
      }),
    );

  it(
    'says that redirects are not followed',
    inAWorkplace(async (workplace) => {
      const port = await listen(createServer(answering(() => ({status: 302}))));
      const {stdout} = await workplace.battle([...alone, '--url', `http=http://127.0.0.1:${port}/old`]);
      assert.match(
        stdout.replace(/\s+/g, ' '),
        /answered 302: .* It redirects, and redirects are not followed/,
      );
    }),
  );

  it(
    'that does not exist is named, and its connection is not called lost',
    inAWorkplace(async (workplace) => {
      const server = await listenHere(createServer(echo));
      server.close();
      for (const host of ['127.0.0.1', 'localhost', 'no-such-host.invalid']) {
        const url = ['--url', `http=http://${host}:${server.port}/`];
        const {code, stdout} = await workplace.battle([...alone, ...url, '--json']);
        assert.equal(code, 1);
        const [own] = cellsIn(stdout).filter((/** @type {any} */ {transport}) => transport === 'by-url');
        assert.equal(own.error.code, 'PB_NO_SERVER');
        assert.match(own.error.message, /^No server could be reached: /);
      }
    }),
  );

  it(
    'speaks WebSocket, with headers in the handshake, also with several requests in flight',
    inAWorkplace(async (workplace) => {
      const http = createServer();
      /** @type {Record<string, unknown>[]} */
      const handshakes = [];
      const sockets = new WebSocketServer({server: http, path: '/live'});
      sockets.on('connection', (socket, {headers}) => {
        handshakes.push(headers);
        socket.on('message', (message) => socket.send(message));
      });
      const port = await listen(http);
      await writeFile(workplace.file('headers'), 'Authorization: Bearer s3cret\n');
      const {code, stdout, stderr} = await workplace.battle([
        ...[
          ...alone,
          '--workload',
          'pipeline',
          '--window',
          '1,8',
          '--reply',
          'echo',
          '--verify',
          'all',
          '--json',
        ],
        ...['--url', `websocket=ws://127.0.0.1:${port}/live`, '--url-headers', 'headers'],
      ]);
      sockets.close();
      assert.equal(code, 0, stderr);
      const own = cellsIn(stdout).filter((/** @type {any} */ {transport}) => transport === 'by-url');
      assert.equal(own.length, 2);
      for (const {counts} of own) assert.equal(counts.verified, counts.sent);
      assert.ok(
        handshakes.length > 0 && handshakes.every(({authorization}) => authorization === 'Bearer s3cret'),
      );
    }),
  );

  it(
    'has TLS, and its certificate is verified',
    inAWorkplace(async (workplace) => {
      const {server: certificate, caFile} = await makeCertificates(workplace.path);
      const [key, cert] = await Promise.all(
        [certificate.keyFile, certificate.certFile].map((file) => readFile(file)),
      );
      const tlsServer = createTlsServer({key, cert}, echo);
      const sockets = new WebSocketServer({server: tlsServer});
      sockets.on('connection', (socket) => socket.on('message', (message) => socket.send(message)));
      const port = await listen(tlsServer);
      const url = ['--url', `http=https://localhost:${port}/,websocket=wss://localhost:${port}/`];
      const untrusted = await workplace.battle([...alone, ...url]);
      assert.equal(untrusted.code, 1);
      assert.match(untrusted.stdout, /certificate/);
      const trusted = await workplace.battle([...alone, ...url, '--url-ca-file', caFile, '--json']);
      sockets.close();
      assert.equal(trusted.code, 0, trusted.stderr);
      assert.equal(cellsIn(trusted.stdout).length, 3);
    }),
  );

  it(
    'gets no more requests than were allowed',
    inAWorkplace(async (workplace) => {
      let count = 0;
      const port = await listen(
        createServer(
          answering(() => {
            count += 1;
            return {};
          }),
        ),
      );
      const url = ['--url', `http=http://127.0.0.1:${port}/`, '--url-requests', '30'];
      const {code, stdout} = await workplace.battle([...alone, ...url]);
      assert.equal(code, 1);
      assert.match(stdout.replace(/\s+/g, ' '), /got 30 requests, the most that --url-requests allows/);
      assert.equal(count, 30);
    }),
  );

  it(
    'is a side of ab, and of an expectation',
    inAWorkplace(async (workplace) => {
      const servers = await Promise.all(
        [0, 100].map((ms) =>
          listen(
            createServer((request, response) => {
              request.resume();
              request.on('end', () => setTimeout(() => response.end(), ms));
            }),
          ),
        ),
      );
      const [quick, slow] = servers.map((port) => `--url http=http://127.0.0.1:${port}/`);
      const sides = ['--a', quick, '--b', slow, '--samples', '20', '--warmup', '5', '--payload', '1kb'];
      const {code, stdout, stderr} = await workplace.battle([
        ...['ab', '--transport', 'by-url', ...sides, '--rounds', '6', '--json'],
      ]);
      assert.equal(code, 0, stderr);
      const [compared] = JSON.parse(stdout).sides;
      // However busy the host is, 100 ms are more.
      assert.ok(compared.ratio > 1.2, JSON.stringify(compared));
      const gate = await workplace.battle([...alone, ...slow.split(' '), '--expect', 'by-url 1kb p50 < 1ms']);
      assert.equal(gate.code, 4, gate.stdout);
    }),
  );

  describe('of gRPC', () => {
    /** @param {Buffer} bytes */
    const asItIs = (bytes) => bytes;
    const method = {requestStream: false, responseStream: false};
    const bytes = {
      ...{requestSerialize: asItIs, requestDeserialize: asItIs},
      ...{responseSerialize: asItIs, responseDeserialize: asItIs},
    };

    /** @param {ServerCredentials} credentials @returns {Promise<{port: number, seen: {message: Buffer, token: unknown}[]}>} */
    async function serve(credentials) {
      /** @type {{message: Buffer, token: unknown}[]} */
      const seen = [];
      const server = new Server({'grpc.max_receive_message_length': -1});
      server.addService(
        {
          say: {path: '/my.Echo/Say', ...method, ...bytes},
          fail: {path: '/my.Echo/Fail', ...method, ...bytes},
        },
        {
          say(
            /** @type {ServerUnaryCall<Buffer, Buffer>} */ {request, metadata},
            /** @type {sendUnaryData<Buffer>} */ callback,
          ) {
            seen.push({message: request, token: metadata.get('authorization')[0]});
            callback(null, request);
          },
          fail(/** @type {unknown} */ _, /** @type {sendUnaryData<Buffer>} */ callback) {
            callback({code: status.NOT_FOUND, details: 'no such thing'});
          },
        },
      );
      closing.push(() => server.forceShutdown());
      return await new Promise((resolve, reject) => {
        server.bindAsync('127.0.0.1:0', credentials, (error, port) =>
          error ? reject(error) : resolve({port, seen}),
        );
      });
    }

    it(
      'is called by a unary method, with the payload in field 1 and its headers as metadata',
      inAWorkplace(async (workplace) => {
        const {port, seen} = await serve(ServerCredentials.createInsecure());
        await writeFile(workplace.file('headers'), 'Authorization: Bearer s3cret\n');
        const {code, stdout, stderr} = await workplace.battle([
          ...[...short, '--transport', 'tcp', '--json', '--reply', 'echo', '--url-headers', 'headers'],
          ...['--url', `grpc=grpc://127.0.0.1:${port}/my.Echo/Say`],
        ]);
        assert.equal(code, 0, stderr);
        const [own] = cellsIn(stdout).slice(-1);
        assert.equal(own.labels.facilitator, `gRPC 127.0.0.1:${port}/my.Echo/Say`);
        assert.equal(own.counts.verified, own.counts.received);
        assert.equal(typeof own.floor.ratio, 'number');
        assert.ok(seen.length >= 50, String(seen.length));
        for (const {message, token} of seen) {
          assert.equal(token, 'Bearer s3cret');
          // Tag of field 1 with a length, and the length 1024 in two bytes.
          assert.deepEqual([...message.subarray(0, 3)], [0x0a, 0x80, 0x08]);
          assert.equal(message.length, 3 + 1024);
        }
      }),
    );

    it(
      'gets a whole message of a file, over TLS',
      inAWorkplace(async (workplace) => {
        const {caFile, server} = await makeCertificates(workplace.file('.'));
        const pair = {
          private_key: await readFile(server.keyFile),
          cert_chain: await readFile(server.certFile),
        };
        const {port, seen} = await serve(ServerCredentials.createSsl(null, [pair]));
        const message = Buffer.from([0x12, 3, 1, 2, 3]);
        await writeFile(workplace.file('message'), message);
        const {code, stderr} = await workplace.battle([
          ...['--rounds', '1', '--samples', '40', '--warmup', '10', '--transport', 'by-url'],
          ...['--payload-file', 'message', '--url-message', 'whole', '--url-ca-file', caFile],
          ...['--url', `grpc=grpcs://localhost:${port}/my.Echo/Say`],
        ]);
        assert.equal(code, 0, stderr);
        assert.ok(seen.length >= 50);
        for (const one of seen) assert.deepEqual(one.message, message);
        const untrusted = await workplace.battle([
          ...[...alone, '--url', `grpc=grpcs://localhost:${port}/my.Echo/Say`],
        ]);
        assert.equal(untrusted.code, 1);
        assert.match(untrusted.stdout, /certificate/);
      }),
    );

    it(
      'that answers with an error ends the cell, unless any reply counts',
      inAWorkplace(async (workplace) => {
        const {port} = await serve(ServerCredentials.createInsecure());
        const words = [...alone, '--url', `grpc=grpc://127.0.0.1:${port}/my.Echo/Fail`];
        const refused = await workplace.battle(words);
        assert.equal(refused.code, 1, refused.stdout);
        assert.match(refused.stderr + refused.stdout, /NOT_FOUND: no such thing/);
        const counted = await workplace.battle([...words, '--reply', 'any']);
        assert.equal(counted.code, 0, counted.stderr);
      }),
    );
  });

  for (const [what, words, why] of [
    ['a workload that needs a server of ours', ['--workload', 'recordset'], /needs a server of perf-battle/],
    ['one-way messages', ['--workload', 'stream'], /cannot send/],
    ['a breakdown', ['--anatomy', 'on'], /--anatomy needs a server/],
    ['a GET in several sizes', ['--payload', '1kb,10kb', '--url-method', 'GET'], /the same for each size/],
    ['a client of another kind', ['--servers', '2'], /--servers 2 has no effect/],
    ['a missing file of headers', ['--url-headers', 'nowhere'], /--url-headers must be/],
  ])
    it(
      `is not asked for ${what}`,
      inAWorkplace(async (workplace) => {
        const words_ = /** @type {string[]} */ (words);
        const {code, stderr} = await workplace.battle([
          ...(words_[0] === '--payload' ? alone.slice(0, -4) : alone.slice(0, -2)),
          ...['--transport', 'by-url', '--url', 'http=http://127.0.0.1:9/', ...words_],
        ]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, /** @type {RegExp} */ (why));
      }),
    );

  it(
    'is not asked for one-way messages beside transports that take them',
    inAWorkplace(async (workplace) => {
      const words = ['--url', 'http=http://127.0.0.1:9/', '--workload', 'stream'];
      for (const {transport, why} of [
        {transport: [], why: /--url .* needs a workload of requests.*takes no one-way messages/},
        {transport: ['--transport', 'tcp'], why: /stream is not supported by --url, which cannot send/},
      ]) {
        const {code, stderr} = await workplace.battle([...short, ...words, ...transport]);
        assert.equal(code, 2, stderr);
        assert.match(stderr, why);
      }
    }),
  );

  it(
    'has no server to start or to check',
    inAWorkplace(async (workplace) => {
      const served = await workplace.run('by-url-server', [], {});
      const checked = await workplace.battle(['check-transport', 'by-url']);
      for (const {code, stderr} of [served, checked]) {
        assert.equal(code, 2, stderr);
        assert.match(stderr, /--url/);
      }
    }),
  );

  it(
    'alone takes replies of any content',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([...short, '--transport', 'http', '--reply', 'any']);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /--reply any has no effect here: it needs .*--url/);
    }),
  );
});
