/** Runs this package's server of node:http. On a message, the process replies with the number of answered requests and the time by its clock. */

import http from '../src/transports/http/index.js';
import {serve} from '../src/transports/http/server.js';

let count = 0;
const settings = Object.fromEntries(http.options.map((option) => [option.key, option.default]));
const address = {listenAddress: '127.0.0.1', serverPort: 0, noDelay: true, tls: false};
const server = await serve(
  /** @type {any} */ ({...settings, ...address, serverLibrary: 'node'}),
  (body, reply) => {
    count += 1;
    reply.end(body);
  },
);
process.on('message', () => process.send?.({count, atMs: performance.now()}));
process.on('disconnect', () => process.exit());
process.send?.(server.address);
