import {runServerScript} from './roles/server.js';
import {udp} from './transports/udp/index.js';
import {serveClients} from './transports/udp/listening.js';

/**
 * @import {OnRequest, ServeSettings, Server} from './transports/transport.js'
 * @import {UdpSettings} from './transports/udp/index.js'
 */

/**
 * @param {ServeSettings & UdpSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  return await serveClients(options, onRequest);
}

await runServerScript(import.meta.url, udp, serve);
