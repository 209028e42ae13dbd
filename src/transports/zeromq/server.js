import {joinAddress, splitAddress} from '../../net/address.js';
import {cannotListen} from '../../net/listen.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {headOf, kinds, library, Outbox, readHead} from './library.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {Router} from 'zeromq'
 */

/** @param {ServeSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const router = new library.Router({
    linger: 0,
    // By default, a reply would be silently dropped if its client has no room.
    mandatory: true,
    maxMessageSize: maxPayloadBytes,
  });
  const address = await bind(router, options);
  const ended = answerAll(router, onRequest);
  return {
    address,
    closed: ended.then(() => {}),
    async close() {
      if (!router.closed) router.close();
      await ended;
    },
  };
}

/** @param {Router} router @param {ServeSettings} options @returns {Promise<string>} host:port */
async function bind(router, {listenAddress, serverPort}) {
  const bindTo = (/** @type {string} */ host) => {
    router.ipv6 = host.includes(':');
    return router.bind(
      `tcp://${joinAddress(host, serverPort === 0 ? /** @type {any} */ ('*') : serverPort)}`,
    );
  };
  try {
    await bindTo(listenAddress ?? '::').catch((error) => {
      if (listenAddress !== null || error.code === 'EADDRINUSE') throw error;
      // The host has no IPv6.
      return bindTo('0.0.0.0');
    });
  } catch (error) {
    if (!router.closed) router.close();
    throw cannotListen(/** @type {Error} */ (error), listenAddress ?? undefined, serverPort);
  }
  const {host, port} = splitAddress(String(router.lastEndpoint).replace('tcp://', ''));
  return joinAddress(host, port);
}

const nothing = Buffer.alloc(0);

/** Resolves when the router is closed. @param {Router} router @param {OnRequest} onRequest */
async function answerAll(router, onRequest) {
  const outbox = new Outbox(router);
  /** How many one-way messages of each client were handled, by its routing id. @type {Map<string, number>} */
  const handled = new Map();
  for await (const [client, head, payload = nothing] of router) {
    const {kind, number} = readHead(head);
    if (kind === kinds.ask) onRequest(payload, new NumberedReply(outbox, client, number));
    else if (kind === kinds.send) onRequest(payload, countingIn(handled, client.toString('latin1')));
    else if (kind === kinds.count) {
      const count = Buffer.alloc(8);
      count.writeDoubleBE(handled.get(client.toString('latin1')) ?? 0);
      outbox.send([client, headOf(kinds.reply, number), count]);
    }
    if (!outbox.hasRoom) await outbox.drained();
  }
}

/** @param {Map<string, number>} handled @param {string} client */
function countingIn(handled, client) {
  return {
    write: () => true,
    drained: async () => {},
    end: () => void handled.set(client, (handled.get(client) ?? 0) + 1),
  };
}

/** @implements {Reply} */
class NumberedReply {
  /** @param {Outbox} outbox @param {Buffer} client the client's routing id @param {number} number of the request */
  constructor(outbox, client, number) {
    this.outbox = outbox;
    this.client = client;
    this.number = number;
    this.isParted = false;
  }

  /** @param {Buffer} part */
  write(part) {
    this.isParted = true;
    return this.outbox.send([this.client, headOf(kinds.part, this.number), part]);
  }

  drained() {
    return this.outbox.drained();
  }

  /** @param {Buffer} [last] */
  end(last) {
    if (last || this.isParted)
      this.outbox.send([this.client, headOf(kinds.reply, this.number), last ?? nothing]);
  }
}
