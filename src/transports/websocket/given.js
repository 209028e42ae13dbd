import {openWebSocket} from './client.js';

/**
 * @import {Client, ConnectGivenSettings} from '../transport.js'
 */

/**
 * Connects to a server that a person names. Each message of the server answers the first request that has no answer yet, unless its content says which.
 * @param {ConnectGivenSettings} options
 * @returns {Promise<Client>}
 */
export async function connect({url, headers, ca, correlation, noDelay}) {
  const {'sec-websocket-protocol': protocols, ...others} = headers;
  const {client} = await openWebSocket(url.href, {
    ...{correlation, noDelay, protocols: protocols?.split(/\s*,\s*/)},
    how: {perMessageDeflate: false, headers: others, ...(ca !== null && {ca: [ca]})},
  });
  return client;
}
