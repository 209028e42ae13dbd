import {declareStream, namesOver, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {serveOver} from '../brokered.js';
import {replyInParts} from '../serialized-requests.js';
import {Changes} from '../windowed-publisher.js';
import {nextStored, Offset, Outgoing, offsetOf, openStreams} from './connection.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {OpenedStreams, StreamSettings} from './connection.js'
 * @import {Channel} from 'amqplib'
 * @import {Message} from 'rabbitmq-stream-js-client/dist/publisher.js'
 */

/** How often the position in the requests is stored, for a server that replaces this one. */
const storeEveryMs = 1000;

/** @param {ServeSettings & StreamSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const {findsQueue = false} = options;
  const stream = topologyOf(namesOver(options, 'stream')).requestQueue;
  const opened = await openStreams(options, async (channel) => {
    if (!findsQueue) await channel.deleteQueue(stream);
    await declareStream(channel, stream, {...options, isBounded: true});
    return stream;
  });
  const {client, openConsumer} = opened;
  /** @type {bigint | null} */
  let last = null;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const server = await serveOver(opened, async () => {
    const replies = new Replies(opened);
    const offset = findsQueue ? offsetOf(await nextStored(client, stream)) : Offset.next();
    const consumer = await openConsumer({stream, offset, consumerRef: stream}, (message) => {
      last = message.offset ?? last;
      onRequest(message.content, replies.to(message));
    });
    timer = setInterval(() => last !== null && void consumer.storeOffset(last).catch(() => {}), storeEveryMs);
    timer.unref();
    return findsQueue ? undefined : (/** @type {Channel} */ channel) => channel.deleteQueue(stream);
  });
  return {
    ...server,
    close() {
      clearInterval(timer);
      return server.close();
    },
  };
}

/**
 * @typedef {{outgoing: Outgoing | null, early: ((outgoing: Outgoing) => void)[], unsent: number}} ReplyStream early: messages that wait until the
 *   stream is open; unsent: replies without a confirm
 */

/** Parts of replies wait while this number of replies has no confirm. */
const maxUnsent = 1000;

/** The streams of replies, one for each client. A client's first request opens its stream. */
class Replies {
  /** By name. @type {Map<string, ReplyStream>} */
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
    const reply = replyInParts({
      send: (payload) => {
        this.#post(replyTo, payload, properties);
        return this.#unsent < maxUnsent;
      },
      drained: async () => {
        while (this.#unsent >= maxUnsent) await Promise.race([this.#changes.next(), this.opened.closed]);
      },
    });
    return replyTo === '' ? {...reply, end: () => {}} : reply;
  }

  /** @param {string} stream @param {Buffer} payload @param {{correlationId: string}} properties */
  #post(stream, payload, properties) {
    const known = this.#streams.get(stream) ?? this.#open(stream);
    known.unsent += 1;
    this.#unsent += 1;
    const sent = () => {
      // Replies of a forgotten stream are no longer counted.
      if (known.unsent === 0) return;
      known.unsent -= 1;
      this.#unsent -= 1;
      this.#changes.announce();
    };
    const send = (/** @type {Outgoing} */ outgoing) => {
      try {
        outgoing.send(payload, properties, sent);
      } catch (error) {
        // The reply is too large for the broker.
        sent();
        this.opened.fail(/** @type {Error} */ (error));
      }
    };
    if (known.outgoing) send(known.outgoing);
    else known.early.push(send);
  }

  /** @param {string} stream @returns {ReplyStream} a stream that is not open yet */
  #open(stream) {
    /** @type {ReplyStream} */
    const opening = {outgoing: null, early: [], unsent: 0};
    this.#streams.set(stream, opening);
    // The loss of a reply stream does not fail the server: the client may have ended.
    const forget = () => {
      if (this.#streams.get(stream) === opening) this.#streams.delete(stream);
      this.#unsent -= opening.unsent;
      opening.unsent = 0;
      opening.early = [];
      this.#changes.announce();
    };
    this.opened.openPublisher(stream, forget).then((publisher) => {
      opening.outgoing = new Outgoing(publisher, {...this.opened, fail: forget});
      for (const send of opening.early.splice(0)) send(opening.outgoing);
    }, forget);
    return opening;
  }
}
