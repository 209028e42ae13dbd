import {Bounded} from './windowed-publisher.js';

/** Maximum number of bytes that the library may reference until it has written them. A sender may reuse its buffer after this amount. */
const maxReferencedBytes = 64 * 1024;
/** The client asks the other end how many messages it has handled after this number of bytes. */
const markEveryBytes = 256 * 1024;
/** Maximum number of bytes without an answer from the other end. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** The approximate size of a message without its payload. */
const overheadBytes = 64;

/**
 * One-way messages through a library whose buffer has no bound. The client repeatedly asks the other end how many messages it has handled,
 * and waits while too many bytes have no answer.
 */
export class Marks extends Bounded {
  /**
   * @param {(reply: (handled: number | null) => void) => void} count asks, after all messages sent so far, how many were handled; null: all, and the
   *   other end confirms none
   * @param {Promise<unknown>} closed rejects when the connection is lost
   */
  constructor(count, closed) {
    super(closed);
    this.count = count;
    this.sentBytes = 0;
    this.markedBytes = 0;
    this.answeredBytes = 0;
    /** Messages that the other end has handled. @type {number | null} */
    this.confirmed = 0;
  }

  get hasRoom() {
    return this.failure !== null || this.sentBytes - this.answeredBytes < maxUnansweredBytes;
  }

  /** Counts a message that was sent. @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  add(payload) {
    this.sentBytes += payload.length + overheadBytes;
    if (this.sentBytes - this.markedBytes >= markEveryBytes) this.#mark();
    return this.hasRoom;
  }

  /** Resolves when the other end has handled all messages. */
  async flushed() {
    if (this.sentBytes > this.markedBytes) this.#mark();
    while (this.answeredBytes < this.markedBytes && !this.failure) await this.changes.next();
    if (this.failure) throw this.failure;
    return {confirmed: this.confirmed};
  }

  #mark() {
    const mark = this.sentBytes;
    this.markedBytes = mark;
    this.count((handled) => {
      this.answeredBytes = mark;
      this.confirmed = handled;
      this.changes.announce();
    });
  }
}

/** One-way messages through a library that also references their buffers until it has written them. */
export class MarkedMessages extends Marks {
  /**
   * @param {{write: (payload: Buffer) => void, count: (reply: (handled: number) => void) => void, closed: Promise<unknown>}} connection count: as of
   *   `Marks`
   */
  constructor({write, count, closed}) {
    super(count, closed);
    this.write = write;
    this.referencedBytes = 0;
  }

  get hasRoom() {
    return super.hasRoom && (this.failure !== null || this.referencedBytes < maxReferencedBytes);
  }

  /** Reports that the library has written all messages, and references no buffers. */
  written() {
    this.referencedBytes = 0;
    this.changes.announce();
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  send(payload) {
    this.referencedBytes += payload.length + overheadBytes;
    // The library may write the payload immediately, and then calls `written`.
    this.write(payload);
    return this.add(payload);
  }
}
