import {Changes} from '../changes.js';
import {refusalOf, refuseTooLarge} from './stream.js';

/**
 * @import {JetStreamClient} from '@nats-io/jetstream'
 * @import {PutOutcome} from '../transport.js'
 */

/** Publishes one-way messages to a stream. A window bounds those that the server has not acknowledged. */
export class StreamPublisher {
  /**
   * @param {JetStreamClient} js
   * @param {string} subject
   * @param {{window: number | undefined, closed: Promise<void>}} options window: of messages that are not acknowledged
   */
  constructor(js, subject, {window = 1, closed}) {
    this.js = js;
    this.subject = subject;
    this.window = window;
    this.unconfirmed = 0;
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    this.onAcknowledged = () => this.#settle(true);
    this.onFailed = (/** @type {unknown} */ error) => {
      const refusal = refusalOf(error);
      if (refusal) this.#fail(refusal);
      this.#settle(false);
    };
    closed.catch((error) => this.#fail(error));
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  publish(payload) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.js.publish(this.subject, payload).then(this.onAcknowledged, this.onFailed);
    return this.#hasRoom;
  }

  /**
   * The same for a message whose outcome is asked for.
   * @param {Buffer} payload
   * @param {PutOutcome} outcome
   */
  publishFor(payload, outcome) {
    refuseTooLarge(payload);
    this.unconfirmed += 1;
    this.js.publish(this.subject, payload).then(
      () => {
        outcome.confirmed();
        this.#settle(true);
      },
      (error) => {
        if (refusalOf(error)) outcome.refused();
        this.#settle(false);
      },
    );
    return this.#hasRoom;
  }

  /** @throws what ended the connection, or a message that the server refused */
  async drained() {
    while (!this.#hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** Resolves when the server has acknowledged everything. @returns {Promise<{confirmed: number}>} */
  async flushed() {
    while (this.unconfirmed > 0 && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  get #hasRoom() {
    return this.failure !== null || this.unconfirmed < this.window;
  }

  /** @param {boolean} isConfirmed */
  #settle(isConfirmed) {
    this.unconfirmed -= 1;
    if (isConfirmed) this.confirmed += 1;
    this.changes.announce();
  }

  /** @param {Error} error */
  #fail(error) {
    this.failure ??= error;
    this.changes.announce();
  }
}
