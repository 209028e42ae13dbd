import {Changes} from './windowed-publisher.js';

/** Maximum number of bytes that the library may reference until it has written them. A sender may reuse its buffer after this amount. */
const maxReferencedBytes = 64 * 1024;
/** The client asks the server how many messages it has handled after this number of bytes. */
const markEveryBytes = 256 * 1024;
/** Maximum number of bytes without an answer from the server. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** The approximate size of a message without its payload. */
const overheadBytes = 64;

/**
 * One-way messages through a library whose buffer has no bound. The client repeatedly asks the server how many messages it has handled, and
 * waits while too many bytes have no answer.
 */
export class MarkedMessages {
  /**
   * @param {{write: (payload: Buffer) => void, count: (reply: (handled: number) => void) => void, closed: Promise<unknown>}} connection count: asks,
   *   after all messages written so far, how many messages were handled; closed: rejects when the connection is lost
   */
  constructor({write, count, closed}) {
    this.write = write;
    this.count = count;
    this.sent = 0;
    this.marked = 0;
    this.answered = 0;
    this.referenced = 0;
    /** Messages that the server has handled. */
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    closed.catch((error) => {
      this.failure = error;
      this.changes.announce();
    });
  }

  /** Reports that the library has written all messages, and references no buffers. */
  written() {
    this.referenced = 0;
    this.changes.announce();
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  send(payload) {
    const bytes = payload.length + overheadBytes;
    this.sent += bytes;
    this.referenced += bytes;
    // The library may write the payload immediately, and then calls `written`.
    this.write(payload);
    if (this.sent - this.marked >= markEveryBytes) this.#mark();
    return this.#hasRoom;
  }

  /** @throws what ended the connection */
  async drained() {
    while (!this.#hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** Resolves when the server has handled all messages. @returns {Promise<{confirmed: number}>} */
  async flushed() {
    if (this.sent > this.marked) this.#mark();
    while (this.answered < this.marked && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  get #hasRoom() {
    if (this.failure !== null) return true;
    return this.referenced < maxReferencedBytes && this.sent - this.answered < maxUnansweredBytes;
  }

  #mark() {
    const mark = this.sent;
    this.marked = mark;
    this.count((handled) => {
      this.answered = mark;
      this.confirmed = handled;
      this.changes.announce();
    });
  }
}
