import {runRole} from '../../../src/roles/run-role.js';
import websocket from '../../../src/transports/websocket/index.js';
import {serve} from '../../../src/transports/websocket/server.js';

/** @import {Serve, Transport} from '../../../src/transports/transport.js' */

/** The time by which the server delays each request. `perf-battle ab` should find it. */
const spinMs = Number(process.env.BENCH_SPIN_MS);

/** @type {Serve} */
const serveSlowly = (options, onRequest) =>
  serve(options, (request, reply) => {
    const endMs = performance.now() + spinMs;
    while (performance.now() < endMs);
    onRequest(request, reply);
  });

/** @type {Transport} */
const slowed = {...websocket, server: async () => ({serve: serveSlowly})};

await runRole('server', slowed.name, {load: async () => slowed});
