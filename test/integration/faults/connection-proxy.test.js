import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {once} from 'node:events';
import {connect, createServer} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {describe, it, test} from 'node:test';
import {ConnectionProxy, selectConnections} from '../../../src/session/faults/cut-connections.js';

/** @import {AddressInfo, Server, Socket} from 'node:net' */

/** @param {(socket: Socket) => void} onConnection */
async function listening(onConnection) {
  const server = createServer({allowHalfOpen: true}, onConnection).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** @param {Server} server */
function addressOf(server) {
  return `127.0.0.1:${/** @type {AddressInfo} */ (server.address()).port}`;
}

describe('a proxy of connections', {timeout: 30_000}, () => {
  it('passes on all bytes in both directions, each to its end', async () => {
    const server = await listening((socket) => {
      /** @type {Buffer[]} */
      const chunks = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('end', () => socket.end(Buffer.concat(chunks)));
    });
    const proxy = await ConnectionProxy.start(1);
    try {
      const sent = randomBytes(20 * 1024 ** 2);
      const socket = connect({port: proxy.portFor(addressOf(server)), host: proxy.host, allowHalfOpen: true});
      socket.end(sent);
      assert.ok((await buffer(socket)).equals(sent));
    } finally {
      await proxy.close();
      server.close();
    }
  });

  it('leads each target to its own port, the same one each time', async () => {
    const servers = await Promise.all(
      ['one', 'other'].map((name) => listening((socket) => socket.end(name))),
    );
    const proxy = await ConnectionProxy.start(2);
    try {
      for (const _ of [1, 2])
        for (const [index, server] of servers.entries()) {
          const socket = connect(proxy.portFor(addressOf(server)), proxy.host);
          assert.equal(String(await buffer(socket)), ['one', 'other'][index]);
        }
    } finally {
      await proxy.close();
      for (const server of servers) server.close();
    }
  });

  it('resets both sides of each connection when it is told, and takes new ones', async () => {
    /** @type {Promise<unknown>[]} */
    const resets = [];
    const server = await listening((socket) => {
      resets.push(once(socket, 'error'));
      socket.write('welcome');
    });
    const proxy = await ConnectionProxy.start(1);
    const port = proxy.portFor(addressOf(server));
    try {
      await assert.rejects(proxy.cut(), /none goes through the proxy/);
      for (const count of [1, 2]) {
        const socket = connect(port, proxy.host);
        await once(socket, 'data');
        const reset = once(socket, 'error');
        await proxy.cut();
        const errors = [...(await reset), .../** @type {any[]} */ (await resets[count - 1])];
        assert.deepEqual(
          errors.map(({code}) => code),
          ['ECONNRESET', 'ECONNRESET'],
        );
      }
    } finally {
      await proxy.close();
      server.close();
    }
  });
});

test('the connections of a server are those that ss selects, over IPv4 and IPv6', async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const {port} = /** @type {AddressInfo} */ (server.address());
    assert.deepEqual(await selectConnections({host, port}), []);
    const sockets = [connect({port, host}), connect({port, host})];
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    assert.equal((await selectConnections({host, port})).length, 2);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
