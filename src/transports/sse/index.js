import {checkCertificate, ignoresOfTls, tlsOptions} from '../../net/tls.js';

/**
 * @import {ScriptValuesOf} from '../../options/contract.js'
 * @import {Transport} from '../transport.js'
 */

/** @typedef {ScriptValuesOf<typeof tlsOptions[number]>} SseSettings */

/**
 * Server-Sent Events. A client has one event stream from its server. It sends a request by a POST, and an event has the reply. Events are
 * text, so payloads are in base64. The transport has no one-way messages, because they would be the same as with the transport http.
 * @satisfies {Transport<SseSettings>}
 */
const sse = {
  name: /** @type {const} */ ('sse'),
  label: 'SSE',
  options: tlsOptions,
  capabilities: ['request', 'broadcast'],
  groups: ['http-family'],
  roundTripMs: (payloadBytes) => 0.35 + 6e-6 * payloadBytes,
  connectsPerRequest: true,
  broker: null,
  isOptIn: true,
  libraries: ['undici'],
  ignores: ignoresOfTls,
  checkFiles: checkCertificate,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default sse;
