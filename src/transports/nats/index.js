/** @import {Transport} from '../transport.js' */

/**
 * Request and reply through a NATS server. The client publishes with its own reply subject. The servers form one queue group, so that each
 * request goes to one server. This is core NATS: a message is delivered at most once, and nothing is stored.
 * @satisfies {Transport}
 */
const nats = {
  name: /** @type {const} */ ('nats'),
  label: 'NATS',
  options: /** @type {readonly never[]} */ ([]),
  capabilities: ['request', 'send', 'broadcast'],
  broker: 'nats',
  isOptIn: true,
  libraries: ['@nats-io/transport-node'],
  roundTripMs: (payloadBytes) => 0.2 + 3e-6 * payloadBytes,
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default nats;
