import {Changes} from './windowed-publisher.js';

/** A library may keep references to what it writes later. The sender may use the memory again after this much. */
const maxReferencedBytes = 64 * 1024;
/** The server is asked how many messages it has handled after this many bytes. */
const markEveryBytes = 256 * 1024;
/** At most this many bytes may be without an answer. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** What a message has beside its payload, approximately. */
const overheadBytes = 64;

/** One-way messages by a library that buffers without a bound: from time to time the server is asked how many it has handled. */
export class MarkedMessages {
  /**
   * @param {{write: (payload: Buffer) => void, count: (reply: (handled: number) => void) => void, closed: Promise<unknown>}} connection count: asks
   *   how many messages were handled, behind all that were written before; closed: rejects when the connection is lost
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

  /** The library keeps no references any more. */
  written() {
    this.referenced = 0;
    this.changes.announce();
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  send(payload) {
    const bytes = payload.length + overheadBytes;
    this.sent += bytes;
    this.referenced += bytes;
    // It may be written at once.
    this.write(payload);
    if (this.sent - this.marked >= markEveryBytes) this.#mark();
    return this.#hasRoom;
  }

  /** @throws what ended the connection */
  async drained() {
    while (!this.#hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /** Resolves when the server has handled everything. @returns {Promise<{confirmed: number}>} */
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
