import {randomInt} from 'node:crypto';
import {createServer} from 'node:net';
import {RunError} from '../errors.js';
import {joinAddress} from './address.js';

/** @import {AddressInfo, Server, Socket} from 'node:net' */

/**
 * Binds a server and tracks its connections, so that closing the server also ends them.
 * @param {Server} server @param {{listenAddress: string | null, serverPort: number}} settings
 * @returns {Promise<{address: string, closed: Promise<void>, close: () => Promise<void>}>}
 * @throws {RunError} PB_PORT_IN_USE, or PB_LISTEN when the address does not belong to this host or is not permitted
 */
export async function listen(server, {listenAddress, serverPort: port}) {
  const where = {port, ...(listenAddress !== null && {host: listenAddress})};
  const listening = await listenOn(server, where).catch((error) => {
    throw cannotListen(error, listenAddress ?? undefined, port);
  });
  const bound = /** @type {AddressInfo} */ (server.address());
  return {...listening, address: joinAddress(bound.address, bound.port)};
}

/**
 * Does the same for any kind of socket.
 * @param {Server} server @param {{host?: string, port: number} | {path: string}} where
 * @returns {Promise<{closed: Promise<void>, close: () => Promise<void>}>}
 * @throws the socket's error
 */
export async function listenOn(server, where) {
  await bind(server, where);
  /** @type {Set<Socket>} */
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    closed: new Promise((resolve, reject) => {
      server.once('close', resolve);
      server.once('error', reject);
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** @param {Server} server @param {{host?: string, port: number} | {path: string}} where @returns {Promise<void>} */
function bind(server, where) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

/** @param {NodeJS.ErrnoException} error the socket's error @param {string | undefined} host @param {number} port */
export function cannotListen(error, host, port) {
  const target = `port ${port} on ${host ?? 'all addresses'}`;
  if (error.code === 'EADDRINUSE') {
    return new RunError(
      `The server cannot listen: ${target} is in use. End the program that uses it, or choose another port with --server-port (PB_SERVER_PORT).`,
      {code: 'PB_PORT_IN_USE', cause: error},
    );
  }
  return new RunError(`The server cannot listen on ${target}: ${error.message}.`, {
    code: 'PB_LISTEN',
    cause: error,
  });
}

/**
 * The range is above the ports of well-known services and below the ephemeral ports. A connection of this host could take
 * an ephemeral port while its node restarts.
 */
const from = 10_000;
const below = 30_000;

/** A port for a program on this host. It may be in use. */
export function randomPort() {
  return randomInt(from, below);
}

/**
 * Picks different free ports: each port stays open until all are picked. Another program may take a port afterwards.
 * @param {readonly string[]} addresses for each port, the address of this host on which the port must be free
 */
export async function pickPorts(addresses) {
  const held = await Promise.all(addresses.map(hold));
  const ports = held.map((server) => /** @type {AddressInfo} */ (server.address()).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

const maxTries = 100;

/** @param {string} address @returns {Promise<Server>} listens on a free port */
async function hold(address) {
  for (let tries = 1; ; tries += 1) {
    try {
      const server = createServer();
      await bind(server, {host: address, port: randomPort()});
      return server;
    } catch (error) {
      const {code} = /** @type {NodeJS.ErrnoException} */ (error);
      // EACCES: the system reserves the port.
      if (tries === maxTries || (code !== 'EADDRINUSE' && code !== 'EACCES')) throw error;
    }
  }
}
