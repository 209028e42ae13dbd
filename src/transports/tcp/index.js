/** @import {Transport} from '../transport.js' */

/**
 * Raw TCP: frames of a 4-byte big-endian length and the payload, over node:net. It is the floor for the other transports: no
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
