import {Changes} from './changes.js';

/** What publishers have in common whose broker confirms each message: a window bounds those that it has not confirmed. */
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

  /** Whether the window has room, or a failure is to be noticed by `drained`. */
  get hasRoom() {
    return this.failure !== null || this.unconfirmed < this.window;
  }

  /** @throws what ended the connection, or a message that the broker refused */
  async drained() {
    while (!this.hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** Resolves when the broker has confirmed everything. @returns {Promise<{confirmed: number | null}>} */
  async flushed() {
    while (this.unconfirmed > 0 && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  /** The outcome of a message is known. @param {boolean} isConfirmed */
  settle(isConfirmed) {
    this.unconfirmed -= 1;
    if (isConfirmed) this.confirmed += 1;
    this.changes.announce();
  }

  /** @param {Error} error */
  fail(error) {
    this.failure ??= error;
    this.changes.announce();
  }
}
