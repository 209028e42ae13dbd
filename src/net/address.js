import {RunError} from '../errors.js';

/** @import {AddressInfo, Server, Socket} from 'node:net' */

/** Splits `host:port`; an IPv6 host is in brackets. @param {string} address @returns {{host: string, port: number}} */
export function splitAddress(address) {
  const colon = address.lastIndexOf(':');
  return {host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1))};
}

/** @param {string} host a name or an address; IPv6 with or without brackets @param {number} port */
export function joinAddress(host, port) {
  return `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
}

/**
 * Parses ssh's notation `[user@]host[:port]`; an IPv6 host is in brackets.
 * @param {string} text
 * @returns {{destination: string, port: number | null} | null} destination: the argument for ssh; null: the text does not parse
 */
export function parseSshHost(text) {
  // ssh would take a destination that begins with a dash as an option.
  const match = /^(?:([\w.][\w.+-]*)@)?(?:\[([\da-fA-F:.%\w]+)\]|([\w.][\w.-]*))(?::(\d{1,5}))?$/.exec(text);
  if (!match) return null;
  const [, user, address, name, port] = match;
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return null;
  return {
    destination: `${user === undefined ? '' : `${user}@`}${address ?? name}`,
    port: port === undefined ? null : Number(port),
  };
}

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
