import {declareStream, namesOver, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {endOfParts} from '../serialized-requests.js';
import {Changes} from '../windowed-publisher.js';
import {Offset, Outgoing, openStreams} from './connection.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {OpenedStreams, StreamSettings} from './connection.js'
 * @import {Message} from 'rabbitmq-stream-js-client/dist/publisher.js'
 */

/** How far the requests were read is stored so often, for a server that takes over. */
const storeEveryMs = 1000;

/**
 * @param {ServeSettings & StreamSettings} options
 * @param {OnRequest} onRequest
 * @returns {Promise<Server>}
 */
export async function serve(options, onRequest) {
  const {findsQueue = false} = options;
  const stream = topologyOf(namesOver(options, 'stream')).requestQueue;
  const opened = await openStreams(options, async (channel) => {
    if (!findsQueue) await channel.deleteQueue(stream);
    await declareStream(channel, stream, {...options, isBounded: true});
    return stream;
  });
  const {client, closed, details, close, openConsumer} = opened;
  try {
    /** @type {bigint | null} */
    let last = null;
    const replies = new Replies(opened);
    const offset = findsQueue ? await storedOffset(client, stream) : Offset.next();
    const consumer = await openConsumer({stream, offset, consumerRef: stream}, (message) => {
      last = message.offset ?? last;
      onRequest(message.content, replies.to(message));
    });
    const timer = setInterval(
      () => last !== null && void consumer.storeOffset(last).catch(() => {}),
      storeEveryMs,
    );
    timer.unref();
    return {
      address: null,
      closed,
      details,
      close: async () => {
        clearInterval(timer);
        await close(findsQueue ? undefined : (channel) => channel.deleteQueue(stream));
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Where an earlier server has stopped. @param {OpenedStreams['client']} client @param {string} stream */
async function storedOffset(client, stream) {
  try {
    return Offset.offset((await client.queryOffset({reference: stream, stream})) + 1n);
  } catch {
    return Offset.first();
  }
}

/** A client that leaves more than this of its replies unwritten gets no parts of replies until that is less. */
const maxUnsent = 1000;

/** The streams of replies, one for each client, which are opened with its first request. */
class Replies {
  /** What waits until a stream is open, by its name; null: it is. @type {Map<string, {outgoing: Outgoing | null, early: ((outgoing: Outgoing) => void)[]}>} */
  #streams = new Map();
  #unsent = 0;
  #changes = new Changes();

  /** @param {OpenedStreams} opened */
  constructor(opened) {
    this.opened = opened;
  }

  /** @param {Message} request @returns {Reply} */
  to({messageProperties = {}}) {
    const {replyTo = '', correlationId = ''} = messageProperties;
    const properties = {correlationId};
    let parts = 0;
    const post = (/** @type {Buffer} */ payload) => {
      this.#post(replyTo, payload, properties);
      return this.#unsent < maxUnsent;
    };
    return {
      write(part) {
        parts += 1;
        return post(part);
      },
      drained: async () => {
        while (this.#unsent >= maxUnsent) await Promise.race([this.#changes.next(), this.opened.closed]);
      },
      end(whole) {
        if (replyTo === '' || (whole === undefined && parts === 0)) return;
        if (whole) post(whole);
        if (parts > 0) post(endOfParts);
      },
    };
  }

  /** @param {string} stream @param {Buffer} payload @param {{correlationId: string}} properties */
  #post(stream, payload, properties) {
    this.#unsent += 1;
    const send = (/** @type {Outgoing} */ outgoing) =>
      outgoing.send(payload, properties, () => {
        this.#unsent -= 1;
        this.#changes.announce();
      });
    const known = this.#streams.get(stream);
    if (known?.outgoing) return send(known.outgoing);
    if (known) return void known.early.push(send);
    const opening = {outgoing: null, early: [send]};
    this.#streams.set(stream, opening);
    this.#open(stream, opening);
  }

  /** @param {string} stream @param {{outgoing: Outgoing | null, early: ((outgoing: Outgoing) => void)[]}} opening */
  async #open(stream, opening) {
    // A client that has gone does not concern the server.
    const forget = () => this.#streams.delete(stream);
    try {
      const publisher = await this.opened.openPublisher(stream, forget);
      opening.outgoing = new Outgoing(publisher, {client: this.opened.client, fail: forget});
      for (const send of opening.early.splice(0)) send(opening.outgoing);
    } catch {
      forget();
    }
  }
}
