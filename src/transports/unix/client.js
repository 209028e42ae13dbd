import {probe} from '../../net/probe.js';
import {connectTo as connectFrames} from '../tcp/client.js';
import {pathOfAddress} from './address.js';

/**
 * @import {UnixSettings} from './index.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

/** @param {ConnectSettings & UnixSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const path = pathOfAddress(options.servers[0]);
  if (options.unixProtocol === 'raw')
    return await connectFrames({path}, options, 'The server of the Unix socket closed the connection.');
  await probe({path});
  const {connectTo} = await import('../http/client.js');
  // The client uses the host name only for the header Host.
  return await connectTo({host: 'localhost', port: 80, socketPath: path, trust: null}, options);
}
