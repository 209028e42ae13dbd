import {connectOnHost} from '../same-host/client.js';
import {loadLibc} from '../same-host/libc.js';
import {RingEnd} from './rings.js';

/**
 * @import {Client, ConnectSettings} from '../transport.js'
 */

const label = 'Shared memory';

/**
 * @param {ConnectSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  return await connectOnHost(options, label, new RingEnd(await loadLibc(label)));
}
