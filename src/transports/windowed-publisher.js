/**
 * @import {Client, PutOutcome, Waiting} from './transport.js'
 */

/**
 * The base of publishers. A window bounds the unconfirmed messages. A subclass may override `hasRoom` if a buffer bounds them, too.
 */
export class WindowedPublisher {
  /** @param {{window: number, closed: Promise<void>}} options closed: rejects when the connection is lost */
  constructor({window, closed}) {
    this.window = window;
    this.unconfirmed = 0;
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    closed.catch((error) => this.fail(error));
  }

  /** Whether the window has room. Also true after a failure, which `drained` then throws. @returns {boolean} */
  get hasRoom() {
    return this.failure !== null || this.unconfirmed < this.window;
  }

  /** @throws what ended the connection, or a message that the other end refused */
  async drained() {
    while (!this.hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** Resolves when the other end has confirmed all messages. @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    while (this.unconfirmed > 0 && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  /** Records the outcome of a message. @param {boolean} isConfirmed */
  settle(isConfirmed) {
    this.unconfirmed -= 1;
    if (isConfirmed) this.confirmed += 1;
    this.changes.announce();
  }

  /**
   * Records that the broker accepted or refused a message.
   * @param {Error | null} refusal
   * @param {PutOutcome} [outcome] the callbacks of this message; without them, a refusal ends the publisher
   */
  settleWith(refusal, outcome) {
    if (refusal === null) outcome?.confirmed();
    else if (outcome) outcome.refused();
    else this.fail(refusal);
    this.settle(refusal === null);
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.changes.announce();
  }
}

/** One-way messages over HTTP. Each message is a POST. The server confirms it with status 204. */
export class OneWayPosts extends WindowedPublisher {
  /** @param {Client['ask']} post @param {number} window */
  constructor(post, window) {
    const {promise, reject} = rejectable();
    super({window, closed: promise});
    this.post = post;
    this.closed = promise;
    this.rejectClosed = reject;
    /** @type {Waiting} shared by all messages: one-way messages are never abandoned */
    this.waiting = {
      onChunk: null,
      resolve: () => this.settle(true),
      reject: (error) => {
        this.fail(error);
        this.settle(false);
      },
    };
  }

  /** @override @param {Error} error */
  fail(error) {
    super.fail(error);
    this.rejectClosed(error);
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    this.unconfirmed += 1;
    this.post(payload, this.waiting);
    return this.hasRoom;
  }
}

function rejectable() {
  /** @type {(error: Error) => void} */
  let reject = () => {};
  /** @type {Promise<never>} */
  const promise = new Promise((_, rejectPromise) => {
    reject = rejectPromise;
  });
  return {promise, reject};
}

/** Announces changes of a state to several waiters. Each waiter checks the state itself. */
export class Changes {
  /** @type {(() => void)[]} */
  #watchers = [];

  get isAwaited() {
    return this.#watchers.length > 0;
  }

  /** @returns {Promise<void>} resolves at the next change */
  next() {
    return new Promise((resolve) => {
      this.#watchers.push(resolve);
    });
  }

  announce() {
    if (this.#watchers.length === 0) return;
    for (const resolve of this.#watchers.splice(0)) resolve();
  }
}
