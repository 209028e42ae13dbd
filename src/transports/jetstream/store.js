import {clientIdOf} from '../../brokers/client-id.js';
import {streamsOf} from '../../brokers/nats/streams.js';
import {RunError} from '../../errors.js';
import {bufferOf} from '../nats/messages.js';
import {StreamPublisher} from './publisher.js';
import {consume, consumerOf, declareStream, deleteStream} from './stream.js';

/**
 * @import {ClientName} from '../../brokers/client-id.js'
 * @import {ConnectSettings, Store} from '../transport.js'
 * @import {OpenedJetStream, StreamSettings} from './stream.js'
 * @import {Consumer, ConsumerMessages, JsMsg} from '@nats-io/jetstream'
 */

/**
 * A stream of this client alone, into which it puts messages and from which it takes them.
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
  const taker = new Taker(opened, stream);
  closed.catch((error) => taker.fail(error));
  return {
    store: {
      put: (payload, outcome) =>
        outcome ? publisher.publishFor(payload, outcome) : publisher.publish(payload),
      drained: () => publisher.drained(),
      flushed: () => publisher.flushed(),
      awaitsConfirms: true,
      take: (count, onMessage, how) => taker.take(count, onMessage, how),
    },
    cleanUp: async () => {
      if (!keepsStore) await deleteStream(manager, stream);
    },
  };
}

/** Consumes a given number of messages, then pauses until the next request. */
class Taker {
  /** @param {OpenedJetStream} opened @param {string} stream */
  constructor(opened, stream) {
    this.opened = opened;
    this.stream = stream;
    /** @type {Promise<Consumer> | null} */
    this.consumer = null;
    /** While messages are delivered. @type {ConsumerMessages | null} */
    this.messages = null;
    this.remaining = 0;
    this.stays = false;
    /** What came before anybody asked for it. @type {Buffer[]} */
    this.early = [];
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(payload: Buffer) => void} */
    this.onMessage = () => {};
    /** @type {() => void} */
    this.resolve = () => {};
    /** @type {(error: Error) => void} */
    this.reject = () => {};
    this.handlers = {
      onMessage: (/** @type {JsMsg} */ message) => this.#offer(message),
      onEnd: (/** @type {Error} */ error) =>
        this.fail(new RunError(`The stream ${stream} delivers no more: ${error.message}.`, {cause: error})),
    };
  }

  /**
   * @param {number} count
   * @param {(payload: Buffer) => void} onMessage
   * @param {{stay?: boolean}} [how] stay: leave the consumer there for the next call
   * @returns {Promise<void>}
   */
  take(count, onMessage, {stay = false} = {}) {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.remaining = count;
      this.onMessage = onMessage;
      this.resolve = resolve;
      this.reject = reject;
      this.stays = stay;
      if (this.messages === null) this.#consume().catch(reject);
      for (const payload of this.early.splice(0, count)) this.#hand(payload);
    });
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.reject(error);
  }

  async #consume() {
    this.consumer ??= consumerOf(this.opened, this.stream);
    this.messages = await consume(await this.consumer, this.handlers);
  }

  /** @param {JsMsg} message */
  #offer(message) {
    message.ack();
    const payload = bufferOf(message);
    if (this.remaining > 0) this.#hand(payload);
    else this.early.push(payload);
  }

  /** @param {Buffer} payload */
  #hand(payload) {
    this.remaining -= 1;
    this.onMessage(payload);
    if (this.remaining === 0) this.#finish();
  }

  #finish() {
    if (!this.stays) {
      this.messages?.stop();
      this.messages = null;
    }
    this.resolve();
  }
}
