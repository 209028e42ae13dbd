import {randomUUID} from 'node:crypto';
import {RunError} from '../../errors.js';
import {bounded} from '../../net/bounded.js';
import {MessageCheck} from '../../payload/message-check.js';
import {measureRoundTrips} from '../rtt/client.js';
import {minSubscribeMs, publish, subscribe} from './subscription.js';

/**
 * @import {PayloadRing} from '../../payload/ring.js'
 * @import {Client} from '../../transports/transport.js'
 * @import {WorkloadContext, WorkloadResult} from '../workload.js'
 */

/** @typedef {{subscribers: number}} FanOutSettings */

/**
 * Publishes a message, waits until all subscribers have it, and publishes the next. Publisher and subscribers are in this process, so one clock
 * times both. Each of them has its own connection. Every byte of every copy is compared when the last copy has arrived.
 * @param {WorkloadContext<FanOutSettings>} context @returns {Promise<WorkloadResult>}
 * @throws {RunError} PB_NO_REPLY, PB_WRONG_REPLY, or the error of the transport when a connection is lost
 */
export async function measureFanOut(context) {
  const fanOut = new FanOut(context);
  try {
    await fanOut.open();
    const connection = {client: fanOut.client, renew: () => fanOut.renew()};
    const options = {...context.options, answer: /** @type {const} */ ('echo'), retries: 0};
    return await measureRoundTrips(
      {...context, connection, options},
      (ring) => new CopiesCheck(ring, fanOut),
    );
  } finally {
    await fanOut.close();
  }
}

/**
 * @typedef {{chunks: Buffer[], bytes: number}} Copy the received part of the current message, for one subscriber
 * @typedef {{name: string, failure: Error | null}} Group failure: the error that ended a connection of the group
 */

const nothing = Buffer.alloc(0);

/** A publisher and its subscribers, as a client whose requests are answered when all subscribers have the message. */
class FanOut {
  /** @type {Client[]} */
  #subscribers = [];
  /** @type {Copy[]} */
  copies = [];
  #length = 0;
  #missing = 0;
  /** @type {(reply: Buffer) => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};
  /** The current subscribers. @type {Group} */
  #group = {name: '', failure: null};

  /** @param {WorkloadContext<FanOutSettings>} context */
  constructor({connection, options}) {
    this.connection = /** @type {Required<WorkloadContext['connection']>} */ (connection);
    this.options = options;
  }

  /** Has only the part of a client that the measurement of round trips needs. @returns {Client} */
  get client() {
    return /** @type {any} */ ({request: (/** @type {Buffer} */ payload) => this.#publish(payload)});
  }

  /** @throws {RunError} PB_NO_REPLY when the subscribers are not subscribed in time */
  async open() {
    const {subscribers: count, timeoutMs} = this.options;
    const group = {name: randomUUID(), failure: null};
    this.#group = group;
    const fail = (/** @type {Error} */ error) => this.#fail(error, group);
    this.connection.client.closed.catch(fail);
    this.copies = Array.from({length: count}, () => ({chunks: [], bytes: 0}));
    // The subscribers connect one after the other, because a server may refuse many simultaneous connections.
    for (const copy of this.copies) {
      const subscriber = await this.connection.another();
      this.#subscribers.push(subscriber);
      subscriber.closed.catch(fail);
      const onChunk = (/** @type {Buffer} */ chunk) => this.#take(copy, chunk);
      const subscribed = subscribe(subscriber, group.name, {onChunk, onEnd: fail});
      await bounded(subscribed, Math.max(timeoutMs, minSubscribeMs)).catch((error) => {
        throw new RunError(`A subscriber could not subscribe: ${error.message}.`, {
          code: 'PB_NO_REPLY',
          cause: error,
        });
      });
    }
  }

  async close() {
    this.#fail(new RunError('The subscribers have left.', {code: 'PB_CLOSED'}));
    await Promise.all(this.#subscribers.splice(0).map((subscriber) => subscriber.close()));
  }

  /** Reconnects after a message that did not reach all subscribers in time. */
  async renew() {
    await this.close();
    if (!(await this.connection.renew())) return false;
    await this.open();
    return true;
  }

  /** @param {Buffer} payload @returns {Promise<Buffer>} */
  async #publish(payload) {
    const {client} = this.connection;
    this.#length = payload.length;
    this.#missing = this.copies.length;
    const arrived = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#group.failure) reject(this.#group.failure);
    });
    // Publishing may throw before `arrived` is awaited.
    arrived.catch(() => {});
    publish(client, payload, arrived);
    return await arrived;
  }

  /** @param {Copy} copy @param {Buffer} chunk a part of the message, or the whole message */
  #take(copy, chunk) {
    copy.chunks.push(chunk);
    copy.bytes += chunk.length;
    if (copy.bytes < this.#length) return;
    if (copy.bytes > this.#length)
      return this.#fail(
        new RunError(`A subscriber got ${copy.bytes} bytes of a message that has ${this.#length}.`, {
          code: 'PB_WRONG_REPLY',
        }),
      );
    this.#missing -= 1;
    if (this.#missing === 0) this.#resolve(nothing);
  }

  /** @param {Error} error @param {Group} [group] the errors of an earlier group are ignored */
  #fail(error, group = this.#group) {
    group.failure ??= error;
    if (group === this.#group) this.#reject(error);
  }
}

/** Compares and then drops the copy of each subscriber. */
class CopiesCheck {
  /** @param {PayloadRing} ring @param {FanOut} fanOut */
  constructor(ring, fanOut) {
    this.fanOut = fanOut;
    this.message = new MessageCheck(ring, {answer: 'echo', every: 1});
  }

  /** @param {Buffer} _ @param {number} sequence @returns {boolean} @throws {RunError} PB_WRONG_REPLY */
  check(_, sequence) {
    for (const copy of this.fanOut.copies) {
      const {chunks} = copy;
      this.message.check(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), sequence);
      // Dropping the chunks when the next message is published would be timed.
      copy.chunks = [];
      copy.bytes = 0;
    }
    return true;
  }
}
