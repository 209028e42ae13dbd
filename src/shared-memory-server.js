import {runServerScript} from './roles/server.js';
import {loadLibc} from './transports/same-host/libc.js';
import {serveOnHost} from './transports/same-host/server.js';
import {sharedMemory} from './transports/shared-memory/index.js';
import {RingEnd} from './transports/shared-memory/rings.js';

/**
 * @import {OnRequest, ServeSettings, Server} from './transports/transport.js'
 */

/**
 * @param {ServeSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  const {label} = sharedMemory;
  return await serveOnHost(options, onRequest, label, new RingEnd(await loadLibc(label)));
}

await runServerScript(import.meta.url, sharedMemory, serve);
