/** @import {Transport} from '../transport.js' */

/**
 * ZeroMQ: a DEALER for each client, a ROUTER at the server, and request numbers in a separate frame. REQ and REP would allow only one
 * request in flight. The library always disables Nagle's algorithm.
 * @satisfies {Transport<{}>}
 */
const zeromq = {
  name: /** @type {const} */ ('zeromq'),
  label: 'ZeroMQ',
  options: /** @type {readonly never[]} */ ([]),
  capabilities: ['request', 'send', 'broadcast'],
  roundTripMs: (payloadBytes) => 0.2 + 1.5e-6 * payloadBytes,
  // The library's input and output run as C++ code in a separate thread.
  mayBeatFloor: true,
  broker: null,
  isOptIn: true,
  libraries: ['zeromq'],
  ignores: () => ['noDelay'],
  notInRuntimes: {
    bun: 'its library needs functions of libuv that Bun does not have',
    deno: 'its library gets no replies there',
  },
  client: () => import('./client.js'),
  server: () => import('./server.js'),
};

export default zeromq;
