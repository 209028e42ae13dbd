import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

/** @typedef {ScriptValuesOf<typeof tlsOptions[number]>} SocketIoSettings */

/**
 * Socket.IO over WebSocket alone: an event with an acknowledgement for each round trip, whose argument is the reply. The library itself disables Nagle's
 * algorithm, and offers no way to enable it.
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
