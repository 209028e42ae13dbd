import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';
import {option} from '../../options/option.js';
import {bytes} from '../../options/types.js';
import {formatBytes} from '../../payload/bytes.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

const options = [
  ...tlsOptions,
  option('http2-window', {
    key: 'http2WindowBytes',
    type: bytes({minimum: 65_535, maximum: 16 * 1024 ** 2}),
    default: 1024 ** 2,
    list: true,
    label: (value) => `window ${formatBytes(value)}`,
    help: 'The bytes that an end may send before the other end allows more, for each stream and for the connection. Windows larger than the buffers of the sockets may stall large messages.',
    group: 'HTTP/2',
  }),
];

/** @typedef {ScriptValuesOf<typeof options[number]>} Http2Settings */

/**
 * HTTP/2: a POST with the payload, as a stream of one session. Both ends are node:http2, without TLS by prior knowledge (RFC 9113, section
 * 3.3). The library always disables Nagle's algorithm.
 * @satisfies {Transport<Http2Settings>}
 */
const http2 = {
  name: /** @type {const} */ ('http2'),
  label: 'HTTP/2',
  options,
  capabilities: ['request', 'send', 'broadcast'],
  groups: ['http-family'],
  roundTripMs: (payloadBytes) => 0.25 + 2.4e-6 * payloadBytes,
  boundsSends: () => true,
  broker: null,
  isOptIn: true,
  libraries: [],
  ignores: (settings) => [...ignoresOfTls(settings), 'noDelay'],
  checkFiles: checkCertificate,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default http2;
