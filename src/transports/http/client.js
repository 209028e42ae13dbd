import {splitAddress} from '../../net/address.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {promised} from '../pending-replies.js';
import {OneWayPosts} from '../windowed-publisher.js';
import {isSuccess} from './exchange.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import {HttpSettings} from './index.js'
 * @import {Client, ConnectGivenSettings, ConnectSettings, Waiting} from '../transport.js'
 */

/** Loads only the chosen library. @type {Record<HttpSettings['clientLibrary'], () => Promise<(target: HttpTarget) => HttpConnections>>} */
const libraries = {
  node: async () => (await import('./node.js')).connectByNode,
  undici: async () => (await import('./undici.js')).connectByUndici,
  fetch: async () => (await import('./fetch.js')).connectByFetch,
};

/** @param {ConnectSettings & HttpSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(host, port, trust) : await probe({host, port});
  return {...(await connectTo({host, port, trust}, options)), details};
}

/**
 * Connects without probing the server.
 * @param {Pick<HttpTarget, 'host' | 'port' | 'trust' | 'socketPath'>} place
 * @param {Pick<ConnectSettings & HttpSettings, 'clientLibrary' | 'keepAlive' | 'noDelay' | 'concurrency'>} options
 * @returns {Promise<Client>}
 */
export async function connectTo(place, {clientLibrary, keepAlive, noDelay, concurrency}) {
  const client = clientBy(await libraries[clientLibrary](), {
    ...place,
    keepAlive,
    noDelay,
    maxConnections: concurrency,
  });
  const posts = new OneWayPosts(client.ask, concurrency);
  return {
    ...client,
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: posts.closed,
  };
}

/**
 * Connects to a server that the user names. The server receives only the requests; the first request opens the connection.
 * @param {ConnectGivenSettings} options
 * @returns {Promise<Client>}
 */
export async function connectToGiven({url, host, port, headers, ca, takesAnyStatus, noDelay, ...options}) {
  const {method, hasBody, concurrency: maxConnections} = options;
  const trust = url.protocol === 'https:' ? {...(ca !== null && {ca: [ca]})} : null;
  const client = clientBy(await libraries.undici(), {
    ...{host, port, trust, keepAlive: true, noDelay, maxConnections},
    request: {
      method,
      path: `${url.pathname}${url.search}`,
      headers: {...(hasBody && {'content-type': 'application/octet-stream'}), ...headers},
      hasBody,
      isGood: takesAnyStatus ? () => true : isSuccess,
      isNamed: true,
      hintFor: (status) => {
        if (status >= 300 && status < 400) return noRedirect;
        return method === 'POST' && refusals.includes(status) ? getInstead : '';
      },
    },
  });
  return {...client, closed: new Promise(() => {})};
}

/** The statuses of servers that do not expect a POST: not found, method not allowed, not implemented. */
const refusals = [404, 405, 501];
const getInstead =
  'The requests were POST, which is the default. If the path is read by GET, use --url-method GET.';

const noRedirect =
  'It redirects, and redirects are not followed: give the address to which it redirects (curl -I shows it).';

/** @param {(target: HttpTarget) => HttpConnections} connectByLibrary @param {Omit<HttpTarget, 'onConnection'>} target */
function clientBy(connectByLibrary, target) {
  let connections = 0;
  const onConnection = () => {
    connections += 1;
  };
  const {ask, close} = connectByLibrary({...target, onConnection});
  return {
    ask,
    request: promised(ask),
    abandon: (/** @type {Waiting} */ {exchange}) => exchange?.abandon(),
    connections: () => connections,
    close,
  };
}
