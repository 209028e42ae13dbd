import {runServerScript} from './roles/server.js';
import {posixMq} from './transports/posix-mq/index.js';
import {QueueEnd} from './transports/posix-mq/queues.js';
import {loadLibc} from './transports/same-host/libc.js';
import {serveOnHost} from './transports/same-host/server.js';

/**
 * @import {OnRequest, ServeSettings, Server} from './transports/transport.js'
 */

/**
 * @param {ServeSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  const {label} = posixMq;
  return await serveOnHost(options, onRequest, label, new QueueEnd(await loadLibc(label)));
}

await runServerScript(import.meta.url, posixMq, serve);
