import {runClientScript} from './roles/client.js';
import {connectOnHost} from './transports/same-host/client.js';
import {loadLibc} from './transports/same-host/libc.js';
import {sharedMemory} from './transports/shared-memory/index.js';
import {RingEnd} from './transports/shared-memory/rings.js';

/**
 * @import {Client, ConnectSettings} from './transports/transport.js'
 */

/**
 * @param {ConnectSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {label} = sharedMemory;
  return await connectOnHost(options, label, new RingEnd(await loadLibc(label)));
}

await runClientScript(import.meta.url, sharedMemory, connect);
