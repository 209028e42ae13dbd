/** @import {Client, Waiting} from './transport.js' */

/** One-way messages over HTTP: each is a POST that the server answers with 204. At most so many are unanswered. */
export class OneWayPosts {
  /** @param {Client['ask']} post @param {number} maxOutstanding */
  constructor(post, maxOutstanding) {
    this.post = post;
    this.maxOutstanding = maxOutstanding;
    this.outstanding = 0;
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(() => void)[]} */
    this.watchers = [];
    /** @type {Promise<never>} */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
    /** @type {Waiting} shared by all messages: one-way messages are never abandoned */
    this.waiting = {
      onChunk: null,
      resolve: () => {
        this.confirmed += 1;
        this.#settle();
      },
      reject: (error) => {
        this.fail(error);
        this.#settle();
      },
    };
  }

  /** The connection was lost, or the server refused a message. @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.rejectClosed?.(error);
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    this.outstanding += 1;
    this.post(payload, this.waiting);
    return this.outstanding < this.maxOutstanding;
  }

  async drained() {
    while (this.outstanding >= this.maxOutstanding && !this.failure) await this.#oneSettled();
  }

  async flushed() {
    while (this.outstanding > 0 && !this.failure) await this.#oneSettled();
    return {confirmed: this.confirmed};
  }

  #settle() {
    this.outstanding -= 1;
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  /** @returns {Promise<void>} */
  #oneSettled() {
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }
}
