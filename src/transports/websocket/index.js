import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';
import {option} from '../../options/option.js';
import {onOff} from '../../options/types.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const options = [
  ...tlsOptions,
  option('websocket-deflate', {
    key: 'deflate',
    type: onOff,
    default: false,
    list: true,
    label: (value) => (value ? 'deflate' : 'no deflate'),
    help: 'Per-message compression on both ends.',
    group: 'WebSocket',
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} WebSocketSettings */

/**
 * WebSocket messages over one connection, by the ws library at both ends.
 *
 * RFC 6455 requires clients to mask every frame. Node.js, the optional native bufferutil or JavaScript masks it. With JavaScript, a large
 * message takes several times as long, so a row names JavaScript masking.
 * @satisfies {Transport<WebSocketSettings & {masking?: string}>}
 */
const websocket = {
  name: /** @type {const} */ ('websocket'),
  label: 'Web Sockets',
  options,
  capabilities: ['request', 'send', 'broadcast'],
  groups: ['http-family'],
  broker: null,
  ignores: ignoresOfTls,
  checkFiles: checkCertificate,
  libraries: ['ws'],
  roundTripMs: (payloadBytes, {deflate}) => 0.08 + (deflate ? 5e-5 : 1.4e-6) * payloadBytes,
  details: ({masking}) => (masking === 'javascript' ? ['masked in JavaScript'] : []),
  given: {protocols: ['ws:', 'wss:'], client: () => import('./client.js')},
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default websocket;
