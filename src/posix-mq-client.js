import {runClientScript} from './roles/client.js';
import {posixMq} from './transports/posix-mq/index.js';
import {QueueEnd} from './transports/posix-mq/queues.js';
import {connectOnHost} from './transports/same-host/client.js';
import {loadLibc} from './transports/same-host/libc.js';

/**
 * @import {Client, ConnectSettings} from './transports/transport.js'
 */

/**
 * @param {ConnectSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {label} = posixMq;
  return await connectOnHost(options, label, new QueueEnd(await loadLibc(label)));
}

await runClientScript(import.meta.url, posixMq, connect);
