import assert from 'node:assert/strict';
import {once} from 'node:events';
import {connect as connectHttp2, createServer} from 'node:http2';
import {describe, it} from 'node:test';
import {conformance} from '../../../src/conformance/index.js';
import {connect} from '../../../src/transports/http2/client.js';
import http2 from '../../../src/transports/http2/index.js';
import {serve} from '../../../src/transports/http2/server.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';

/**
 * @import {AddressInfo, Socket} from 'node:net'
 * @import {Client, ConnectSettings, OnRequest, ServeSettings} from '../../../src/transports/transport.js'
 * @import {Http2Settings} from '../../../src/transports/http2/index.js'
 */

conformance(http2, {tls: true, http2WindowBytes: 65_535});

/** @type {Http2Settings} */
const settings = {
  ...{http2WindowBytes: 1024 ** 2, tls: false, tlsCertFile: null, tlsKeyFile: null, tlsCaFile: null},
  ...{tlsClientCertFile: null, tlsClientKeyFile: null, tlsClientCaFile: null},
};

/**
 * @param {OnRequest} onRequest
 * @param {(client: Client, address: string) => Promise<void>} run
 * @param {Partial<Http2Settings>} [own]
 */
async function withPair(onRequest, run, own = {}) {
  /** @type {ServeSettings & Http2Settings} */
  const forServer = {...settings, ...own, listenAddress: '127.0.0.1', serverPort: 0, noDelay: true};
  const server = await serve(forServer, onRequest);
  const address = String(server.address);
  /** @type {ConnectSettings & Http2Settings} */
  const forClient = {
    ...{...settings, ...own, servers: [address], concurrency: 64, noDelay: true},
    ...{correlation: null, hasServer: true, greetingMs: 5000},
  };
  const client = await connect(forClient);
  try {
    await run(client, address);
  } finally {
    await client.close();
    await server.close();
  }
}

describe('the HTTP/2 pair', {timeout: 300_000}, () => {
  it('sends all requests over one connection', () =>
    withPair(
      (request, reply) => reply.end(request),
      async (client, address) => {
        await Promise.all(Array.from({length: 64}, () => client.request(Buffer.alloc(64))));
        const [, port] = address.split(':');
        const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap');
        assert.equal(sockets.length, 2, `both ends of one connection to ${port}`);
      },
    ));

  it('goes on with other requests after one was given up', () =>
    withPair(
      (request, reply) => {
        if (request.length > 1) reply.end(request);
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
        assert.equal((await client.request(Buffer.alloc(3))).length, 3);
      },
    ));

  it('refuses a body over the limit by its announced length alone', () =>
    withPair(
      () => assert.fail('it was taken'),
      async (_client, address) => {
        const session = connectHttp2(`http://${address}`);
        const length = String(128 * 1024 * 1024 + 1);
        const stream = session.request({':method': 'POST', ':path': '/', 'content-length': length});
        const [headers] = await once(stream, 'response');
        assert.equal(headers[':status'], 413);
        session.destroy();
      },
    ));

  it(
    'battles with the window of node:http2 and a larger one',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'http2', '--http2-window', '65535,1mb', '--payload', '1kb,1000kb'],
        ...['--rounds', '1', '--samples', '30', '--warmup', '10', '--quiet'],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'http2');
      assert.equal(cells.length, 4);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed');
        const {counts} = cell;
        assert.deepEqual([counts.sent, counts.lost], [30, 0]);
      }
    }),
  );

  // node:http2 reads nothing while it writes: with windows of 16 MB, both ends wait for each other here.
  it(
    'passes large messages in both directions at once',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'http2', '--workload', 'pipeline', '--window', '32', '--payload', '1000kb'],
        ...['--rounds', '1', '--samples', '100', '--warmup', '10', '--timeout', '5s', '--quiet'],
      ]);
      assert.equal(code, 0, stderr);
      const cell = (await workplace.cells()).find(({transport}) => transport === 'http2');
      assert.ok(cell?.outcome === 'completed');
      assert.deepEqual([cell.counts.received, cell.counts.lost], [100, 0]);
    }),
  );

  it('says which connection was reset, whether its session or a stream hears of it first', async () => {
    const server = createServer();
    /** @type {Socket[]} */
    const sockets = [];
    server.on('connection', (socket) => sockets.push(socket));
    server.on('sessionError', () => {});
    server.on('stream', (stream) => {
      stream.on('error', () => {});
      sockets[0].resetAndDestroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = /** @type {AddressInfo} */ (server.address());
    const client = await connect({
      ...{...settings, servers: [`127.0.0.1:${port}`], concurrency: 64, noDelay: true},
      ...{correlation: null, hasServer: true, greetingMs: 5000},
    });
    client.closed.catch(() => {});
    try {
      await assert.rejects(client.request(Buffer.alloc(64)), {
        code: 'PB_CONNECTION_LOST',
        message: /^The HTTP\/2 connection was lost \(.+\)\.$/,
      });
    } finally {
      await client.close();
      server.close();
    }
  });

  it(
    'ends with 1 and says so when its server is killed',
    inAWorkplace(async (workplace) => {
      const {code, error} = await killedServer(workplace, 'http2');
      assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST']);
      assert.match(error.message, /^The HTTP\/2 connection was lost \(.+\)\.$/);
    }),
  );
});
