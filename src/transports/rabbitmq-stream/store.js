import {clientIdOf} from '../../brokers/client-id.js';
import {declareStream, namesOver, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {clientOver, storeOf} from '../brokered.js';
import {Progress, Taker} from '../taker.js';
import {nextStored, Outgoing, offsetOf, openStreams, StreamPublisher} from './connection.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, OnConsumed} from '../transport.js'
 * @import {OpenedStreams, StreamSettings} from './connection.js'
 * @import {Channel} from 'amqplib'
 * @import {Consumer} from 'rabbitmq-stream-js-client'
 */

/**
 * Connects a client that stores messages in its own stream.
 * @param {StreamSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
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
  const openHalf = async () => {
    const {closed, openPublisher} = opened;
    const outgoing = new Outgoing(await openPublisher(stream), opened);
    const publisher = new StreamPublisher(outgoing, {window, closed});
    const reader = new StoreReader(opened, stream);
    closed.catch((error) => reader.taker.fail(error));
    const store = storeOf(publisher, reader.taker, {
      awaitsConfirms: true,
      consume: (onMessage) => consume(opened, stream, onMessage),
    });
    return {store, cleanUp};
  };
  return await clientOver(opened, openHalf, cleanUp);
}

/** Delivers the messages of a stream to its taker, starting with the first message. */
class StoreReader {
  /** The offset of the next message. */
  #next = 0n;
  /** Present while messages are delivered. @type {Consumer | null} */
  #consumer = null;

  /** @param {OpenedStreams} opened @param {string} stream */
  constructor({client, openConsumer}, stream) {
    this.taker = new Taker({
      begin: async () => {
        this.#consumer = await openConsumer({stream, offset: offsetOf(this.#next)}, (message) => {
          // The broker begins with the chunk that contains the offset, so earlier messages may arrive again.
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

/**
 * An acknowledgement stores the position up to which all messages are processed.
 * @param {OpenedStreams} opened @param {string} stream @param {OnConsumed} onMessage
 */
async function consume({client, openConsumer}, stream, onMessage) {
  let stored = await nextStored(client, stream);
  const progress = new Progress(stored);
  let expected = stored;
  let isEnded = false;
  const reading = {stream, offset: offsetOf(stored), consumerRef: stream};
  const opening = openConsumer(reading, ({content, offset = expected}) => {
    // The broker begins with the chunk that contains the offset.
    if (isEnded || offset < expected) return;
    expected = offset + 1n;
    const done = progress.deliver(offset);
    onMessage(content, async () => {
      done();
      // Acknowledgements of one turn of the event loop are stored together.
      const consumer = await opening;
      if (progress.next === stored) return;
      stored = progress.next;
      await consumer.storeOffset(stored - 1n);
    });
  });
  await opening;
  return {
    // The connection stays open for acknowledgements.
    end: async () => {
      isEnded = true;
    },
  };
}
