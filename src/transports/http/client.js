import {splitAddress} from '../../net/address.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {promised} from '../pending-replies.js';
import {OneWayPosts} from '../windowed-publisher.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import {HttpSettings} from './index.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

/** Only the chosen library is loaded. @type {Record<HttpSettings['clientLibrary'], () => Promise<(target: HttpTarget) => HttpConnections>>} */
const libraries = {
  node: async () => (await import('./node.js')).connectByNode,
  undici: async () => (await import('./undici.js')).connectByUndici,
  fetch: async () => (await import('./fetch.js')).connectByFetch,
};

/**
 * @param {ConnectSettings & HttpSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const {keepAlive, noDelay, concurrency: maxConnections} = options;
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(host, port, trust) : await probe(host, port);
  const connectByLibrary = await libraries[options.clientLibrary]();
  let connections = 0;
  const onConnection = () => {
    connections += 1;
  };
  const target = {host, port, trust, keepAlive, noDelay, maxConnections, onConnection};
  const {ask, close} = connectByLibrary(target);
  const posts = new OneWayPosts(ask, maxConnections);
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    connections: () => connections,
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: posts.closed,
    details,
    close,
  };
}
