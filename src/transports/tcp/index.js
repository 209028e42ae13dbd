/** @import {Transport} from '../transport.js' */

/**
 * Raw TCP over node:net: a frame is a 4-byte big-endian length and the payload. This transport is the floor for all others, because no
 * protocol that delivers whole messages does less work.
 * @satisfies {Transport<{}>}
 */
const tcp = {
  name: /** @type {const} */ ('tcp'),
  label: 'TCP',
  options: /** @type {readonly never[]} */ ([]),
  capabilities: ['request', 'send', 'broadcast'],
  broker: null,
  libraries: [],
  roundTripMs: (payloadBytes) => 0.06 + 1e-6 * payloadBytes,
  isFloor: true,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default tcp;
