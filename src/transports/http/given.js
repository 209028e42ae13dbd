import {promised} from '../pending-replies.js';
import {isSuccess} from './exchange.js';
import {connectByUndici} from './undici.js';

/**
 * @import {Client, ConnectGivenSettings} from '../transport.js'
 */

/**
 * Connects to a server that a person names. Nothing is sent to it but the requests: the first one opens the connection.
 * @param {ConnectGivenSettings} options
 * @returns {Promise<Client>}
 */
export async function connect({url, host, port, headers, ca, takesAnyStatus, noDelay, ...options}) {
  const {method, hasBody, concurrency} = options;
  let connections = 0;
  const {ask, close} = connectByUndici({
    host,
    port,
    trust: url.protocol === 'https:' ? {...(ca !== null && {ca: [ca]})} : null,
    keepAlive: true,
    noDelay,
    maxConnections: concurrency,
    onConnection: () => {
      connections += 1;
    },
    request: {
      method,
      path: `${url.pathname}${url.search}`,
      headers: {...(hasBody && {'content-type': 'application/octet-stream'}), ...headers},
      hasBody,
      isGood: takesAnyStatus ? () => true : isSuccess,
    },
  });
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    connections: () => connections,
    closed: new Promise(() => {}),
    close,
  };
}
