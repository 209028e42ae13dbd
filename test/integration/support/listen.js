/** @import {AddressInfo, Server, Socket} from 'node:net' */

/**
 * Lets a server of a test listen on a free port of this host.
 * @param {Server} server
 * @param {{noDelay?: boolean}} [options] noDelay: of its connections; false by default
 * @returns {Promise<{port: number, close: () => void}>} close: ends its connections too
 */
export async function listenHere(server, {noDelay = false} = {}) {
  /** @type {Set<Socket>} */
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    if (noDelay) socket.setNoDelay(true);
    socket.on('error', () => {});
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const {port} = /** @type {AddressInfo} */ (server.address());
  return {
    port,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
