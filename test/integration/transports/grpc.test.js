import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {fileURLToPath} from 'node:url';
import {credentials, loadPackageDefinition, Server, ServerCredentials, status} from '@grpc/grpc-js';
import {loadSync} from '@grpc/proto-loader';
import {conformance} from '../../../src/conformance/index.js';
import {connect} from '../../../src/transports/grpc/client.js';
import grpc from '../../../src/transports/grpc/index.js';
import {definition, serve} from '../../../src/transports/grpc/server.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';

/**
 * @import {GrpcSettings} from '../../../src/transports/grpc/index.js'
 * @import {Client, ConnectSettings, OnRequest, ServeSettings} from '../../../src/transports/transport.js'
 */

conformance(grpc, {grpcCall: 'stream', grpcChannels: 3, tls: true});

const proto = fileURLToPath(new URL('../../../src/transports/grpc/battle.proto', import.meta.url));

/** @type {GrpcSettings} */
const settings = {
  ...{grpcCall: 'unary', grpcChannels: 1, grpcWindowBytes: 1024 ** 2},
  ...{tls: false, tlsCertFile: null, tlsKeyFile: null, tlsCaFile: null},
  ...{tlsClientCertFile: null, tlsClientKeyFile: null, tlsClientCaFile: null},
};

/** @param {string} address @param {Partial<GrpcSettings>} [own] */
function connectTo(address, own = {}) {
  /** @type {ConnectSettings & GrpcSettings} */
  const options = {
    ...{...settings, ...own, servers: [address], concurrency: 64, noDelay: true},
    ...{correlation: null, hasServer: true, greetingMs: 5000},
  };
  return connect(options);
}

/** @param {OnRequest} onRequest @param {(address: string) => Promise<void>} run */
async function withServer(onRequest, run) {
  /** @type {ServeSettings & GrpcSettings} */
  const options = {...settings, listenAddress: '127.0.0.1', serverPort: 0, noDelay: true};
  const server = await serve(options, onRequest);
  try {
    await run(String(server.address));
  } finally {
    await server.close();
  }
}

/** @param {string} address @param {(client: Client) => Promise<void>} run @param {Partial<GrpcSettings>} [own] */
async function withClient(address, run, own) {
  const client = await connectTo(address, own);
  try {
    await run(client);
  } finally {
    await client.close();
  }
}

describe('the gRPC pair', {timeout: 300_000}, () => {
  it('has a server that a client of the compiled battle.proto can call', () =>
    withServer(
      (request, reply) => reply.end(request),
      async (address) => {
        const {perfbattle} = /** @type {any} */ (loadPackageDefinition(loadSync(proto, {longs: Number})));
        const client = new perfbattle.Battle(address, credentials.createInsecure());
        const data = Buffer.from('any client');
        const unary = await new Promise((resolve, reject) => {
          client.Exchange({data}, (/** @type {Error | null} */ error, /** @type {{data: Buffer}} */ reply) =>
            error ? reject(error) : resolve(reply),
          );
        });
        assert.ok(unary.data.equals(data));
        const [part] = await client.ExchangeParts({data}).toArray();
        assert.ok(part.data.equals(data));
        const stream = client.Converse();
        stream.write({data});
        stream.end();
        const [answer] = await stream.toArray();
        assert.ok(answer.data.equals(data));
        const received = await new Promise((resolve, reject) => {
          const call = client.Send(
            (/** @type {Error | null} */ error, /** @type {{count: number}} */ reply) =>
              error ? reject(error) : resolve(reply),
          );
          for (let count = 0; count < 3; count += 1) call.write({data});
          call.end();
        });
        assert.equal(received.count, 3);
        client.close();
      },
    ));

  for (const grpcChannels of [1, 4])
    it(`sends each one-way message as it was when it was given, over ${grpcChannels} channels`, async () => {
      /** @type {number[]} */
      const seen = [];
      await withServer(
        (request, reply) => {
          seen.push(request.readUInt32BE(0));
          reply.end();
        },
        (address) =>
          withClient(
            address,
            async (client) => {
              const sender = /** @type {Required<Client>} */ (client);
              const payload = Buffer.alloc(100_000);
              for (let number = 0; number < 200; number += 1) {
                payload.writeUInt32BE(number);
                if (!sender.send(payload)) await sender.drained();
              }
              assert.deepEqual(await sender.flushed(), {confirmed: 200});
              sender.send(payload);
              assert.deepEqual(await sender.flushed(), {confirmed: 201});
            },
            {grpcChannels},
          ),
      );
      assert.deepEqual(
        seen.toSorted((one, other) => one - other),
        [...Array(200).keys(), 199],
      );
    });

  it('fails a request with the status that the server answers', async () => {
    const server = new Server();
    const refuse = (/** @type {unknown} */ _call, /** @type {any} */ callback) =>
      callback({code: status.RESOURCE_EXHAUSTED, details: 'no more'});
    server.addService(/** @type {any} */ ({exchange: definition.exchange}), {exchange: refuse});
    const port = await new Promise((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    try {
      await withClient(`127.0.0.1:${port}`, async (client) => {
        await assert.rejects(client.request(Buffer.alloc(1)), {
          code: 'PB_GRPC_STATUS',
          message: 'The gRPC server answered RESOURCE_EXHAUSTED: no more.',
        });
      });
    } finally {
      server.forceShutdown();
    }
  });

  it('does not call its own end a lost connection', () =>
    withServer(
      (request, reply) => reply.end(request),
      async (address) => {
        const client = await connectTo(address);
        let hasFailed = false;
        client.closed.catch(() => {
          hasFailed = true;
        });
        await client.close();
        await new Promise((resolve) => setTimeout(resolve, 50));
        assert.equal(hasFailed, false);
      },
    ));

  it('does not use the proxy of the environment', async () => {
    process.env.grpc_proxy = 'http://127.0.0.1:9';
    try {
      await withServer(
        (request, reply) => reply.end(request),
        (address) =>
          withClient(address, async (client) => {
            assert.equal((await client.request(Buffer.alloc(2))).length, 2);
          }),
      );
    } finally {
      delete process.env.grpc_proxy;
    }
  });

  it(
    'battles by unary calls and by one stream, over several channels',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'grpc', '--grpc-call', 'unary,stream', '--grpc-channels', '1,2'],
        ...['--rounds', '1', '--samples', '30', '--warmup', '10', '--quiet', '--payload', '1kb,1000kb'],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'grpc');
      assert.equal(cells.length, 8);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed');
        const {counts, versions} = cell;
        assert.deepEqual([counts.sent, counts.lost], [30, 0]);
        assert.match(String(versions['@grpc/grpc-js']), /^1\./);
      }
    }),
  );

  for (const PB_GRPC_CALL of ['unary', 'stream'])
    it(
      `ends with 1 and says so when its server is killed, with ${PB_GRPC_CALL}`,
      inAWorkplace(async (workplace) => {
        const {code, error} = await killedServer(workplace, 'grpc', {PB_GRPC_CALL});
        assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST']);
        assert.match(error.message, /^The gRPC (connection was lost|server ended the stream)/);
      }),
    );
});
