import {clientIdOf} from '../../brokers/client-id.js';
import {declareStream, namesOver, refuseWithoutServer, topologyOf} from '../../brokers/rabbitmq/topology.js';
import {clientOver, partOf, storeOf} from '../brokered.js';
import {BrokeredCalls} from '../brokered-calls.js';
import {Progress, Taker} from '../taker.js';
import {nextStored, Offset, Outgoing, offsetOf, openStreams, StreamPublisher} from './connection.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {Broadcast, Client, ConnectSettings, OnConsumed} from '../transport.js'
 * @import {OpenedStreams, StreamSettings} from './connection.js'
 * @import {Channel} from 'amqplib'
 * @import {Consumer} from 'rabbitmq-stream-js-client'
 */

/** @typedef {ConnectSettings & StreamSettings & ClientName} Settings */

/** @param {Settings} options @returns {Promise<Client>} */
export async function connect(options) {
  if (options.broadcasts) return await connectToAll(options);
  return options.hasServer ? await connectToServer(options) : await connectToStore(options);
}

/** @param {Settings} options */
async function connectToServer(options) {
  const names = topologyOf(namesOver(options, 'stream'));
  const replies = names.replyQueue(clientIdOf(options));
  const opened = await openStreams(options, async (channel) => {
    await refuseWithoutServer(channel, names.requestQueue, 'npx perf-battle serve rabbitmq-stream', {
      countsConsumers: false,
    });
    await channel.deleteQueue(replies);
    await declareStream(channel, replies, {...options, isBounded: true});
    return names.requestQueue;
  });
  const cleanUp = (/** @type {Channel} */ channel) => channel.deleteQueue(replies);
  const connectHalf = async () => {
    const {closed, openPublisher, openConsumer} = opened;
    const outgoing = new Outgoing(await openPublisher(names.requestQueue), opened);
    const calls = new BrokeredCalls(options.correlation, (payload, call) => {
      const properties = {correlationId: String(call.number), replyTo: replies};
      outgoing.send(payload, properties, (refusal) => call.settle(refusal));
    });
    closed.catch((error) => calls.fail(error));
    await openConsumer({stream: replies, offset: Offset.next()}, ({content, messageProperties}) =>
      calls.take(Number(messageProperties?.correlationId), content),
    );
    const publisher = new StreamPublisher(outgoing, {window: options.window, closed});
    return {...partOf(calls, publisher, (payload) => publisher.publish(payload)), cleanUp};
  };
  return await clientOver(opened, connectHalf, cleanUp);
}

/**
 * Connects a publisher or a subscriber. Each subscriber reads the stream from its end, or from where it was before.
 * @param {Settings} options @returns {Promise<Client>}
 */
async function connectToAll(options) {
  const stream = topologyOf(namesOver(options, 'stream')).broadcastExchange;
  const opened = await openStreams(options, async (channel) => {
    await declareStream(channel, stream, {...options, isBounded: !options.keepsStore});
    return stream;
  });
  const {fail, openPublisher, openConsumer} = opened;
  let isSubscriber = false;
  /** The offset of the next message; null before the first one. @type {bigint | null} */
  let next = null;
  return await clientOver(opened, async () => {
    const outgoing = new Outgoing(await openPublisher(stream), opened);
    /** @type {Broadcast} */
    const broadcast = {
      reportsTaken: true,
      publish: (payload, onTaken) =>
        outgoing.send(payload, {}, (refusal) => (refusal ? fail(refusal) : onTaken?.())),
      async subscribe(onMessage, after = null) {
        isSubscriber = true;
        next = /** @type {bigint | null} */ (after);
        const offset = next === null ? Offset.next() : Offset.offset(next);
        await openConsumer({stream, offset}, (message) => {
          // The broker begins with the chunk that contains the offset, so earlier messages may arrive again.
          if (next !== null && message.offset !== undefined && message.offset < next) return;
          next = (message.offset ?? next ?? 0n) + 1n;
          onMessage(message.content);
        });
      },
      position: () => next,
    };
    const cleanUp = async (/** @type {Channel} */ channel) => {
      // The publisher may continue with messages of another size, so a subscriber does not delete the stream.
      if (!isSubscriber && !options.keepsStore) await channel.deleteQueue(stream);
    };
    return {broadcast, cleanUp};
  });
}

/** Connects a client that stores messages in its own stream. @param {Settings} options */
async function connectToStore(options) {
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
