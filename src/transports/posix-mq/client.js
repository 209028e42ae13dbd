import {connectOnHost} from '../same-host/client.js';
import {loadLibc} from '../same-host/libc.js';
import {QueueEnd} from './queues.js';

/**
 * @import {Client, ConnectSettings} from '../transport.js'
 */

const label = 'POSIX queues';

/**
 * @param {ConnectSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  return await connectOnHost(options, label, new QueueEnd(await loadLibc(label)));
}
