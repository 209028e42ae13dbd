import {RunError} from '../errors.js';

/**
 * The requests of one connection that wait for their replies, where replies come in the order of the requests. When the
 * connection dies all of them fail.
 */
export class PendingReplies {
  /** @param {string} lost what to say when the connection ends without an error */
  constructor(lost) {
    this.lost = lost;
    /** @type {{resolve: (reply: Buffer) => void, reject: (error: Error) => void}[]} */
    this.waiting = [];
    /** @type {Error | null} */
    this.failure = null;
    this.finished = false;
    /** @type {Promise<void>} rejects on an unasked death */
    this.closed = new Promise((resolve, reject) => {
      this.resolveClosed = resolve;
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
  }

  /** @returns {Promise<Buffer>} the reply to the request that was just sent */
  add() {
    if (this.failure) return Promise.reject(this.failure);
    return new Promise((resolve, reject) => this.waiting.push({resolve, reject}));
  }

  /** @param {Buffer} reply to the oldest request; one that nobody waits for is dropped */
  resolveNext(reply) {
    this.waiting.shift()?.resolve(reply);
  }

  /** @param {Error} [cause] */
  fail(cause) {
    if (this.failure || this.finished) return;
    this.failure = new RunError(cause ? `${this.lost} (${cause.message})` : this.lost, {
      code: 'PB_CONNECTION_LOST',
      cause,
    });
    this.rejectClosed?.(this.failure);
    for (const {reject} of this.waiting.splice(0)) reject(this.failure);
  }

  /** The connection is closed on purpose: what still waits fails, the close itself is no failure. */
  finish() {
    if (this.failure || this.finished) return;
    this.finished = true;
    this.resolveClosed?.();
    for (const {reject} of this.waiting.splice(0))
      reject(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }
}
