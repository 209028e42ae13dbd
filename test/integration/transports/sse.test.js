import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, request as requestHttp} from 'node:http';
import {describe, it} from 'node:test';
import {conformance} from '../../../src/conformance/index.js';
import {splitAddress} from '../../../src/net/address.js';
import {connect} from '../../../src/transports/sse/client.js';
import sse from '../../../src/transports/sse/index.js';
import {serve} from '../../../src/transports/sse/server.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';
import {listenHere} from '../support/listen.js';

/**
 * @import {Client, ConnectSettings, OnRequest, ServeSettings} from '../../../src/transports/transport.js'
 * @import {SseSettings} from '../../../src/transports/sse/index.js'
 */

conformance(sse, {tls: true});

/** @type {SseSettings} */
const settings = {
  ...{tls: false, tlsCertFile: null, tlsKeyFile: null, tlsCaFile: null},
  ...{tlsClientCertFile: null, tlsClientKeyFile: null, tlsClientCaFile: null},
};

/** @param {string} address @returns {Promise<Client>} */
function connectTo(address) {
  /** @type {ConnectSettings & SseSettings} */
  const options = {
    ...{...settings, servers: [address], concurrency: 8, noDelay: true},
    ...{correlation: null, hasServer: true, greetingMs: 2000},
  };
  return connect(options);
}

/** @param {OnRequest} onRequest @param {(client: Client, address: string) => Promise<void>} run */
async function withPair(onRequest, run) {
  /** @type {ServeSettings & SseSettings} */
  const options = {...settings, listenAddress: '127.0.0.1', serverPort: 0, noDelay: true};
  const server = await serve(options, onRequest);
  const client = await connectTo(String(server.address));
  try {
    await run(client, String(server.address));
  } finally {
    await client.close();
    await server.close();
  }
}

/** @param {string | {host: string, port: number, path: string}} url @param {string} method @param {Buffer} [body] @returns {Promise<number | undefined>} the status */
async function statusOf(url, method, body) {
  const request = typeof url === 'string' ? requestHttp(url, {method}) : requestHttp({...url, method});
  request.end(body);
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

describe('the SSE pair', {timeout: 300_000}, () => {
  it('goes on with other requests after one was given up, whose reply comes later', () => {
    /** @type {() => void} */
    let answerFirst = () => {};
    return withPair(
      (request, reply) => {
        if (request.length > 1) reply.end(request);
        else answerFirst = () => reply.end(request);
      },
      async (client) => {
        const waiting = {
          onChunk: null,
          resolve: () => assert.fail('it was answered'),
          reject: () => assert.fail('it was rejected'),
          exchange: null,
        };
        client.ask(Buffer.alloc(1), waiting);
        assert.equal((await client.request(Buffer.alloc(2))).length, 2);
        client.abandon?.(waiting);
        answerFirst();
        assert.equal((await client.request(Buffer.alloc(3))).length, 3);
      },
    );
  });

  it('refuses requests without a session, and other methods and paths', () =>
    withPair(
      () => assert.fail('it was taken'),
      async (_client, address) => {
        assert.equal(await statusOf(`http://${address}/?session=none`, 'POST', Buffer.alloc(1)), 404);
        assert.equal(await statusOf(`http://${address}/elsewhere`, 'GET'), 404);
        assert.equal(await statusOf(`http://${address}/`, 'PUT', Buffer.alloc(1)), 405);
        const {host, port} = splitAddress(address);
        for (const path of ['//', '///', '//:'])
          assert.equal(await statusOf({host, port, path}, 'GET'), 400, path);
      },
    ));

  it('says what a server answers that has no events', async () => {
    const server = await listenHere(createServer((_, response) => response.writeHead(200).end('hello')));
    await assert.rejects(connectTo(`127.0.0.1:${server.port}`), {
      code: 'PB_HTTP_STATUS',
      message: 'The HTTP server answered 200, and not with a stream of events.',
    });
    server.close();
  });

  it(
    'battles, also with many subscribers, and refuses a stream to the server',
    inAWorkplace(async (workplace) => {
      const short = ['--transport', 'sse', '--rounds', '1', '--samples', '40', '--warmup', '10'];
      const loads = ['--workload', 'rtt,pipeline,fan-out', '--window', '8', '--subscribers', '3'];
      const {code, stderr} = await workplace.battle([...short, ...loads, '--payload', '1kb,1000kb']);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'sse');
      assert.equal(cells.length, 6);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.lost, cell.counts.corrupted], [0, 0]);
      }
      const stream = await workplace.battle([...short, '--workload', 'stream']);
      assert.equal(stream.code, 2);
      assert.match(stream.stderr, /--workload stream is not supported by --transport sse, which cannot send/);
    }),
  );

  it(
    'ends with 1 and says so when its server is killed',
    inAWorkplace(async (workplace) => {
      const {code, error} = await killedServer(workplace, 'sse');
      assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST']);
    }),
  );
});
