import {RunError} from '../../errors.js';
import {listenOn} from '../../net/listen.js';
import {makeServer as makeFrameServer} from '../tcp/server.js';
import {addressOf, pathOf, randomNumber} from './address.js';

/**
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {UnixSettings} from './index.js'
 * @import {Server as SocketServer} from 'node:net'
 */

/** @param {ServeSettings & UnixSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const {serverPort: number, unixProtocol} = options;
  const server = await (unixProtocol === 'raw' ? makeFrameServer : makeHttpServer)(options, onRequest);
  return number === 0 ? await listenAnywhere(server) : await listenAs(server, number);
}

/** @param {ServeSettings & UnixSettings} options @param {OnRequest} onRequest */
async function makeHttpServer(options, onRequest) {
  const {makeServer} = await import('../http/server.js');
  return await makeServer({...options, etag: false, credentials: null}, onRequest);
}

/** Maximum number of attempts to find a free socket number. */
const maxAttempts = 100;

/** @param {SocketServer} server */
async function listenAnywhere(server) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await listenAs(server, randomNumber());
    } catch (error) {
      const {code} = /** @type {RunError} */ (error);
      if (code !== 'PB_PORT_IN_USE' || attempt === maxAttempts) throw error;
    }
  }
}

/** @param {SocketServer} server @param {number} number */
async function listenAs(server, number) {
  const listening = await listenOn(server, {path: pathOf(number)}).catch((error) => {
    throw cannotListen(error, number);
  });
  return {...listening, address: addressOf(number)};
}

/** @param {NodeJS.ErrnoException} error @param {number} number */
function cannotListen(error, number) {
  const isInUse = error.code === 'EADDRINUSE';
  const why = isInUse
    ? 'is in use. End the program that uses it, or choose another number with --server-port (PB_SERVER_PORT)'
    : `cannot be used: ${error.message}`;
  return new RunError(`The server cannot listen: Unix socket ${number} ${why}.`, {
    code: isInUse ? 'PB_PORT_IN_USE' : 'PB_LISTEN',
    cause: error,
  });
}
