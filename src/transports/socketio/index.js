import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

/** @typedef {ScriptValuesOf<typeof tlsOptions[number]>} SocketIoSettings */

/**
 * Socket.IO over WebSocket only. A round trip is an event and an acknowledgement, whose argument is the reply. The library always disables
 * Nagle's algorithm.
 * @satisfies {Transport<SocketIoSettings>}
 */
const socketio = {
  name: /** @type {const} */ ('socketio'),
  label: 'Socket.IO',
  options: tlsOptions,
  capabilities: ['request', 'send', 'broadcast'],
  groups: ['http-family'],
  roundTripMs: (payloadBytes) => 0.15 + 2e-6 * payloadBytes,
  broker: null,
  isOptIn: true,
  libraries: ['socket.io', 'socket.io-client'],
  ignores: (settings) => [...ignoresOfTls(settings), 'noDelay'],
  checkFiles: checkCertificate,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default socketio;
