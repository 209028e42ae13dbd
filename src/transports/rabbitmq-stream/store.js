import {clientIdOf} from '../../brokers/client-id.js';
import {declareStream, namesOver, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {Taker} from '../taker.js';
import {Offset, Outgoing, openStreams} from './connection.js';
import {StreamPublisher} from './publisher.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, Store} from '../transport.js'
 * @import {OpenedStreams, StreamSettings} from './connection.js'
 * @import {Channel} from 'amqplib'
 * @import {Consumer} from 'rabbitmq-stream-js-client'
 */

/**
 * A stream of this client alone, into which it puts messages and from which it reads them.
 * @param {StreamSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, opened: OpenedStreams, cleanUp: ((channel: Channel) => Promise<unknown>) | undefined}>}
 */
export async function openStore(options) {
  const {window, findsQueue = false, keepsStore = false} = options;
  const stream = topologyOf(namesOver(options, 'stream')).storeQueue(clientIdOf(options));
  const opened = await openStreams(options, async (channel) => {
    if (!findsQueue) await channel.deleteQueue(stream);
    await declareStream(channel, stream, {...options, isBounded: false});
    return stream;
  });
  const cleanUp = keepsStore ? undefined : (/** @type {Channel} */ channel) => channel.deleteQueue(stream);
  const {closed, openPublisher, close} = opened;
  try {
    const outgoing = new Outgoing(await openPublisher(stream), opened);
    const publisher = new StreamPublisher(outgoing, {window, closed});
    const reader = new StoreReader(opened, stream);
    closed.catch((error) => reader.taker.fail(error));
    const store = {
      put: (/** @type {Buffer} */ payload, /** @type {any} */ outcome) => publisher.publish(payload, outcome),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: true,
      take: reader.taker.take.bind(reader.taker),
    };
    return {store, opened, cleanUp};
  } catch (error) {
    await close(cleanUp);
    throw error;
  }
}

/** Delivers the messages of a stream, from the first one on, to its taker. */
class StoreReader {
  /** The offset of the next message. */
  #next = 0n;
  /** While messages are delivered. @type {Consumer | null} */
  #consumer = null;

  /** @param {OpenedStreams} opened @param {string} stream */
  constructor({client, openConsumer}, stream) {
    this.taker = new Taker({
      begin: async () => {
        const offset = this.#next === 0n ? Offset.first() : Offset.offset(this.#next);
        this.#consumer = await openConsumer({stream, offset}, (message) => {
          // A message may come once more: the broker begins with the chunk that has the offset.
          if (message.offset !== undefined && message.offset < this.#next) return;
          this.#next = (message.offset ?? this.#next) + 1n;
          this.taker.offer(message.content);
        });
      },
      end: async () => {
        const consumer = this.#consumer;
        this.#consumer = null;
        if (consumer) await client.closeConsumer(/** @type {any} */ (consumer).extendedId);
      },
    });
  }
}
