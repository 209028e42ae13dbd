import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {io} from 'socket.io-client';
import {conformance} from '../../../src/conformance/index.js';
import socketio from '../../../src/transports/socketio/index.js';
import {serve} from '../../../src/transports/socketio/server.js';
import {inAWorkplace} from '../support/each-in-a-workplace.js';
import {killedServer} from '../support/killed-server.js';

/**
 * @import {OnRequest, ServeSettings} from '../../../src/transports/transport.js'
 * @import {SocketIoSettings} from '../../../src/transports/socketio/index.js'
 */

conformance(socketio, {tls: true});

/** A client of the library alone. @param {OnRequest} onRequest @param {(socket: ReturnType<typeof io>) => Promise<void>} run */
async function withClient(onRequest, run) {
  /** @type {ServeSettings & SocketIoSettings} */
  const options = {
    ...{tls: false, tlsCertFile: null, tlsKeyFile: null, tlsCaFile: null},
    ...{tlsClientCertFile: null, tlsClientKeyFile: null, tlsClientCaFile: null},
    ...{listenAddress: '127.0.0.1', serverPort: 0, noDelay: true},
  };
  const server = await serve(options, onRequest);
  const socket = io(`http://${server.address}`, {transports: ['websocket'], reconnection: false});
  try {
    await new Promise((resolve) => socket.once('connect', () => resolve(null)));
    await run(socket);
  } finally {
    socket.disconnect();
    await server.close();
  }
}

describe('the Socket.IO pair', {timeout: 300_000}, () => {
  it('does not read from a client that leaves its replies unread, and goes on when it reads', () => {
    let requests = 0;
    return withClient(
      (request, reply) => {
        requests += 1;
        reply.end(request);
      },
      async (socket) => {
        const {ws} = /** @type {any} */ (socket.io.engine.transport);
        ws.pause();
        const payload = Buffer.alloc(1024 * 1024);
        let replies = 0;
        const count = 200;
        const all = new Promise((resolve) => {
          const onReply = () => {
            replies += 1;
            if (replies === count) resolve(null);
          };
          for (let index = 0; index < count; index += 1) socket.emit('ask', payload, onReply);
        });
        let before = -1;
        while (before !== requests) {
          before = requests;
          await sleep(500);
        }
        assert.ok(requests < count / 2, `${requests} requests were read`);
        ws.resume();
        await all;
      },
    );
  });

  for (const [title, words] of /** @type {[string, [string, ...unknown[]]][]} */ ([
    ['no bytes', ['ask', 'text', () => {}]],
    ['no acknowledgement', ['ask', Buffer.alloc(1)]],
    ['one-way, no bytes', ['send', {}]],
  ]))
    it(`ends the connection of a client that sends ${title}`, () =>
      withClient(
        () => assert.fail('it was taken'),
        async (socket) => {
          const ended = new Promise((resolve) => socket.once('disconnect', resolve));
          socket.emit(...words);
          assert.equal(await ended, 'io server disconnect');
        },
      ));

  it(
    'battles with each workload of a transport without a store',
    inAWorkplace(async (workplace) => {
      const {code, stderr} = await workplace.battle([
        ...['--transport', 'socketio', '--workload', 'rtt,pipeline,stream,fan-out', '--window', '8'],
        ...['--payload', '1kb,1000kb', '--subscribers', '3'],
        ...['--rounds', '1', '--samples', '60', '--warmup', '10'],
      ]);
      assert.equal(code, 0, stderr);
      const cells = (await workplace.cells()).filter(({transport}) => transport === 'socketio');
      assert.equal(cells.length, 8);
      for (const cell of cells) {
        assert.ok(cell.outcome === 'completed', JSON.stringify(cell));
        assert.deepEqual([cell.counts.lost, cell.counts.corrupted], [0, 0]);
        assert.match(String(cell.versions['socket.io']), /^4\./);
      }
    }),
  );

  it(
    'ends with 1 and says so when its server is killed',
    inAWorkplace(async (workplace) => {
      const {code, error} = await killedServer(workplace, 'socketio');
      assert.deepEqual([code, error.code], [1, 'PB_CONNECTION_LOST']);
      assert.match(error.message, /^The connection of Socket\.IO was lost \(.+\)\.$/);
    }),
  );
});
