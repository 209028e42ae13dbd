import {serveClients} from './listening.js';

/**
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 * @import {UdpSettings} from './index.js'
 */

/**
 * @param {ServeSettings & UdpSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  return await serveClients(options, onRequest);
}
