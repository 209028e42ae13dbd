import {runServerScript} from '../../../src/roles/server.js';
import {websocket} from '../../../src/transports/websocket.js';
import {serve} from '../../../src/websocket-server.js';

/** A server that is slower by a given time for each request. `perf-battle ab` should find it. */
const spinMs = Number(process.env.BENCH_SPIN_MS);

await runServerScript(import.meta.url, websocket, (options, onRequest) =>
  serve(options, (request, reply) => {
    const endMs = performance.now() + spinMs;
    while (performance.now() < endMs);
    onRequest(request, reply);
  }),
);
