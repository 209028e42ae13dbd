import {splitAddress} from '../../net/address.js';
import {probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {postToRoot} from '../http/exchange.js';
import {promised} from '../pending-replies.js';
import {OneWayPosts} from '../windowed-publisher.js';
import {openSession} from './session.js';

/**
 * @import {Http2Settings} from './index.js'
 * @import {Client, ConnectSettings} from '../transport.js'
 */

/** @param {ConnectSettings & Http2Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const {http2WindowBytes: windowBytes, greetingMs, concurrency} = options;
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(host, port, {...trust, ALPNProtocols: ['h2']}) : {};
  const target = {host, port, trust, windowBytes, greetingMs, request: postToRoot};
  const {ask, close, lost} = await openSession(target);
  const posts = new OneWayPosts(ask, concurrency);
  lost.then((error) => posts.fail(error));
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: posts.closed,
    details,
    close,
  };
}
