/**
 * The delivery of messages from a queue. begin: starts it; end: stops it until the next begin.
 * @typedef {{begin: () => Promise<unknown>, end: () => Promise<unknown>}} Deliveries
 */

/** Takes a given number of messages from a queue, then pauses until the next call. */
export class Taker {
  #remaining = 0;
  #stays = false;
  /** Present while messages are delivered. @type {Promise<unknown> | null} */
  #begun = null;
  /** Messages that were delivered before `take` was called. @type {Buffer[]} */
  #early = [];
  /** @type {Error | null} */
  #failure = null;
  /** @type {(payload: Buffer) => void} */
  #onMessage = () => {};
  /** @type {() => void} */
  #resolve = () => {};
  /** @type {(error: Error) => void} */
  #reject = () => {};

  /** @param {Deliveries} deliveries */
  constructor(deliveries) {
    this.deliveries = deliveries;
  }

  get hasFailed() {
    return this.#failure !== null;
  }

  /**
   * @param {number} count @param {(payload: Buffer) => void} onMessage
   * @param {{stay?: boolean}} [how] stay: messages are also delivered between this call and the next one
   * @returns {Promise<void>}
   */
  take(count, onMessage, {stay = false} = {}) {
    return new Promise((resolve, reject) => {
      if (this.#failure) return reject(this.#failure);
      this.#remaining = count;
      this.#onMessage = onMessage;
      this.#resolve = resolve;
      this.#reject = reject;
      this.#stays = stay;
      if (this.#begun === null) {
        this.#begun = this.deliveries.begin();
        this.#begun.catch(reject);
      }
      for (const payload of this.#early.splice(0, count)) this.#hand(payload);
    });
  }

  /** @param {Buffer} payload of a message that was delivered */
  offer(payload) {
    if (this.#remaining > 0) this.#hand(payload);
    else this.#early.push(payload);
  }

  /** @param {Error} error */
  fail(error) {
    this.#failure ??= error;
    this.#reject(error);
  }

  /** @param {Buffer} payload */
  #hand(payload) {
    this.#remaining -= 1;
    this.#onMessage(payload);
    if (this.#remaining === 0) this.#finish();
  }

  /** Waits for `begin`: all messages may be delivered before it has resolved. */
  #finish() {
    const stays = this.#stays;
    const ended = Promise.resolve(this.#begun).then(() => {
      if (stays) return;
      this.#begun = null;
      return this.deliveries.end();
    });
    ended.then(() => this.#resolve(), this.#reject);
  }
}

/** How far the messages of a log are processed. A consumer of a log stores this position, and acknowledges no single message. */
export class Progress {
  /**
   * The delivered messages that are not processed, or follow such a message, in the order of delivery.
   * @type {{offset: bigint, isDone: boolean}[]}
   */
  #open = [];

  /** @param {bigint} next the offset of the first message that is not processed */
  constructor(next) {
    this.next = next;
  }

  /**
   * @param {bigint} offset of a message that was delivered
   * @returns {() => bigint} to be called when the message is processed; returns the offset of the first message that is not
   */
  deliver(offset) {
    const message = {offset, isDone: false};
    this.#open.push(message);
    return () => {
      message.isDone = true;
      const open = this.#open.findIndex(({isDone}) => !isDone);
      const last = this.#open.splice(0, open === -1 ? this.#open.length : open).at(-1);
      if (last) this.next = last.offset + 1n;
      return this.next;
    };
  }
}
