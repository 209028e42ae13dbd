/**
 * How messages of a queue are delivered. begin: they come from then on; end: they come no more, until the next begin.
 * @typedef {{begin: () => Promise<unknown>, end: () => Promise<unknown>}} Deliveries
 */

/** Takes a given number of messages out of a queue, then pauses until the next request. */
export class Taker {
  #remaining = 0;
  #stays = false;
  /** While messages are delivered. @type {Promise<unknown> | null} */
  #begun = null;
  /** What came before anybody asked for it. @type {Buffer[]} */
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
   * @param {number} count
   * @param {(payload: Buffer) => void} onMessage
   * @param {{stay?: boolean}} [how] stay: messages are delivered until the next call, too
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

  /** A message was delivered. @param {Buffer} payload */
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

  /** All may have come before the deliveries have quite begun. */
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

/** How far a log of messages was dealt with. A consumer of a log stores that, and not each message. */
export class Progress {
  /** In the order of their delivery. @type {{offset: bigint, isDone: boolean}[]} */
  #open = [];

  /** @param {bigint} next the offset of the first message that was not dealt with */
  constructor(next) {
    this.next = next;
  }

  /**
   * A message was delivered.
   * @param {bigint} offset
   * @returns {() => bigint} to be called when it was dealt with; the offset of the first message that was not
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
