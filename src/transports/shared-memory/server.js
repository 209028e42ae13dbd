import {loadLibc} from '../same-host/libc.js';
import {serveOnHost} from '../same-host/server.js';
import {RingEnd} from './rings.js';

/**
 * @import {OnRequest, ServeSettings, Server} from '../transport.js'
 */

const label = 'Shared memory';

/**
 * @param {ServeSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  return await serveOnHost(options, onRequest, label, new RingEnd(await loadLibc(label)));
}
