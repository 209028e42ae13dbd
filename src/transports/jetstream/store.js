import {setTimeout as sleep} from 'node:timers/promises';
import {clientIdOf} from '../../brokers/client-id.js';
import {streamsOf} from '../../brokers/nats/connection.js';
import {RunError} from '../../errors.js';
import {storeOf} from '../brokered.js';
import {bufferOf} from '../nats/publisher.js';
import {Taker} from '../taker.js';
import {consume, consumerOf, declareStream, deleteStream, outstandingOf, StreamPublisher} from './stream.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, OnConsumed, Store} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {Consumer, ConsumerMessages, JsMsg} from '@nats-io/jetstream'
 */

/**
 * Opens a stream for this client alone.
 * @param {OpenedJetStream} opened
 * @param {StreamSettings & ClientName & Pick<ConnectSettings, 'window' | 'findsQueue' | 'keepsStore'>} options
 * @returns {Promise<{store: Store, cleanUp: () => Promise<void>}>}
 */
export async function openStore(opened, options) {
  const {manager, js, closed} = opened;
  const {window, findsQueue = false, keepsStore = false} = options;
  const names = streamsOf(options);
  const clientId = clientIdOf(options);
  const stream = names.storeStream(clientId);
  const subject = names.store(clientId);
  if (!findsQueue) await deleteStream(manager, stream);
  await declareStream(manager, {stream, subject}, options);
  const publisher = new StreamPublisher(js, subject, {window, closed});
  const taker = takerOf(opened, stream);
  closed.catch((error) => taker.fail(error));
  return {
    store: storeOf(publisher, taker, {
      awaitsConfirms: true,
      consume: (onMessage) => consumeFrom(opened, stream, onMessage),
    }),
    cleanUp: async () => {
      if (!keepsStore) await deleteStream(manager, stream);
    },
  };
}

/** @param {OpenedJetStream} opened @param {string} stream */
function takerOf(opened, stream) {
  /** @type {Promise<Consumer> | null} */
  let consumer = null;
  /** Present while messages are delivered. @type {ConsumerMessages | null} */
  let messages = null;
  const handlers = {
    onMessage: (/** @type {JsMsg} */ message) => {
      message.ack();
      taker.offer(bufferOf(message));
    },
    onEnd: (/** @type {Error} */ error) =>
      taker.fail(new RunError(`The stream ${stream} delivers no more: ${error.message}.`, {cause: error})),
  };
  const taker = new Taker({
    begin: async () => {
      consumer ??= consumerOf(opened, stream);
      messages = await consume(await consumer, {
        ...handlers,
        outstanding: await outstandingOf(opened.manager, stream),
      });
    },
    end: async () => messages?.stop(),
  });
  return taker;
}

/** The server redelivers a message that is not acknowledged within this time. */
const ackWaitMs = 1000;
const settledEveryMs = 50;

/** @param {OpenedJetStream} opened @param {string} stream @param {OnConsumed} onMessage */
async function consumeFrom(opened, stream, onMessage) {
  const consumer = await consumerOf(opened, stream, {ackWaitMs});
  const messages = await consume(consumer, {
    onMessage: (message) => onMessage(bufferOf(message), async () => message.ack()),
    onEnd: (error) => opened.lose(`The stream ${stream} delivers no more: ${error.message}.`),
    outstanding: await outstandingOf(opened.manager, stream),
  });
  return {
    end: async () => messages.stop(),
    async settled() {
      while ((await consumer.info()).num_ack_pending > 0) await sleep(settledEveryMs);
    },
  };
}
