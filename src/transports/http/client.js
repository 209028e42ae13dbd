import {splitAddress} from '../../net/address.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {promised} from '../promised.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import {HttpSettings} from './index.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
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

/** One-way messages: each is a POST that the server answers with 204. There are as many at once as there are connections. */
export class OneWayPosts {
  /** @param {Client['ask']} post @param {number} maxOutstanding */
  constructor(post, maxOutstanding) {
    this.post = post;
    this.maxOutstanding = maxOutstanding;
    this.outstanding = 0;
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(() => void)[]} */
    this.watchers = [];
    /** @type {Promise<never>} */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
    /** @type {Waiting} shared by all messages: one-way messages are never abandoned */
    this.waiting = {
      onChunk: null,
      resolve: () => {
        this.confirmed += 1;
        this.#settle();
      },
      reject: (error) => {
        this.failure ??= error;
        this.rejectClosed?.(error);
        this.#settle();
      },
    };
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    this.outstanding += 1;
    this.post(payload, this.waiting);
    return this.outstanding < this.maxOutstanding;
  }

  async drained() {
    while (this.outstanding >= this.maxOutstanding && !this.failure) await this.#oneSettled();
  }

  async flushed() {
    while (this.outstanding > 0 && !this.failure) await this.#oneSettled();
    return {confirmed: this.confirmed};
  }

  #settle() {
    this.outstanding -= 1;
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  /** @returns {Promise<void>} */
  #oneSettled() {
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }
}
