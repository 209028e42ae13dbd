import {Changes} from '../windowed-publisher.js';

/** @import {ClientSocket} from './events.js' */

/** The library keeps a reference to what it writes in the next turn of the event loop. The sender may use the memory again after this much. */
const maxReferencedBytes = 64 * 1024;
/** The server is asked how many messages it has handled after this many bytes. */
const markEveryBytes = 256 * 1024;
/** At most this many bytes may be without an answer. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** What a message has beside its payload, approximately. */
const overheadBytes = 64;

/** One-way messages, with back-pressure by acknowledgements: on the side of the client, the library buffers without a bound. */
export class Messages {
  /** @param {ClientSocket} socket @param {Promise<never>} closed rejects when the connection is lost */
  constructor(socket, closed) {
    this.socket = socket;
    this.sent = 0;
    this.marked = 0;
    this.answered = 0;
    this.referenced = 0;
    /** Messages that the server has handled. */
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
    socket.io.engine.on('flush', () => {
      this.referenced = 0;
      this.changes.announce();
    });
    closed.catch((error) => {
      this.failure = error;
      this.changes.announce();
    });
  }

  /** @param {Buffer} payload @returns {boolean} false: wait for `drained` */
  send(payload) {
    this.socket.emit('send', payload);
    const bytes = payload.length + overheadBytes;
    this.sent += bytes;
    this.referenced += bytes;
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
    this.socket.emit('count', (handled) => {
      this.answered = mark;
      this.confirmed = handled;
      this.changes.announce();
    });
  }
}
