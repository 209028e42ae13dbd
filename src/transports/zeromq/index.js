/** @import {Transport} from '../transport.js' */

/**
 * ZeroMQ: a DEALER for each client, a ROUTER at the server, and numbers of requests in a frame of their own. REQ and REP would have one request in flight.
 * The library itself disables Nagle's algorithm, and offers no way to enable it.
 * @satisfies {Transport<{}>}
 */
const zeromq = {
  name: /** @type {const} */ ('zeromq'),
  label: 'ZeroMQ',
  options: /** @type {readonly never[]} */ ([]),
  capabilities: ['request', 'send', 'broadcast'],
  roundTripMs: (payloadBytes) => 0.2 + 1.5e-6 * payloadBytes,
  // Its input and output are C++ code in a thread of its own.
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
