import {probe} from '../../net/probe.js';
import {connectTo as connectFrames} from '../tcp/client.js';
import {pathOfAddress} from './address.js';

/**
 * @import {UnixSettings} from './index.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

/**
 * @param {ConnectSettings & UnixSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const path = pathOfAddress(options.servers[0]);
  if (options.unixProtocol === 'raw')
    return await connectFrames({path}, options, 'The server of the Unix socket closed the connection.');
  await probe({path});
  const {connectTo} = await import('../http/client.js');
  // The name of the host is that of the header Host.
  return await connectTo({host: 'localhost', port: 80, socketPath: path, trust: null}, options);
}
