/** @import {OnRequest, Reply} from './transport.js' */

/** The end of a reply of several parts. Payloads are never empty. */
export const endOfParts = Buffer.alloc(0);

/**
 * Makes a reply whose parts are messages. An empty message ends a reply of several parts.
 * @param {object} how
 * @param {(payload: Buffer, onTaken?: () => void) => boolean} how.send false: wait for `drained`
 * @param {() => Promise<void>} how.drained
 * @param {() => void} [how.done] is called when the broker has accepted the last message, or when there is no reply
 * @returns {Reply}
 */
export function replyInParts({send, drained, done = () => {}}) {
  let parts = 0;
  return {
    write(part) {
      parts += 1;
      return send(part);
    },
    drained,
    end(whole) {
      if (whole === undefined && parts === 0) return done();
      if (whole && parts > 0) send(whole);
      send(whole && parts === 0 ? whole : endOfParts, done);
    },
  };
}

/** A client with more than this amount of unread replies gets no more replies until it has read them. */
const maxUnreadBytes = 16 * 1024 * 1024;
/** The server reads nothing from a client while more than this amount of its requests waits. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** The approximate memory for a waiting request in addition to its bytes. */
const perRequestBytes = 256;

/**
 * @typedef {object} RequestConnection the server's connection to one client
 * @property {(message: Buffer) => boolean} send false: the buffer is full
 * @property {() => Promise<void>} drained resolves when there is room, and when the connection is lost
 * @property {() => number} unreadBytes how many of the sent bytes are still in this process
 * @property {() => void} pause stops reading
 * @property {() => void} resume
 */

/**
 * Serializes the requests of a connection whose replies have no id. While a reply of several parts is being written, later requests wait,
 * so that the parts of two replies never mix. Requests also wait while the client leaves replies unread. The server then reads no more
 * requests, so that a client that only sends cannot fill its memory.
 */
export class SerializedRequests {
  /** @param {RequestConnection} connection @param {OnRequest} onRequest */
  constructor(connection, onRequest) {
    this.connection = connection;
    this.onRequest = onRequest;
    /** Whether a reply of several parts is being written. */
    this.isOpen = false;
    /** Whether the client must first read its replies. */
    this.isBlocked = false;
    this.isPaused = false;
    this.isProceeding = false;
    /** @type {Buffer[]} */
    this.waiting = [];
    this.waitingBytes = 0;
    /** @type {Reply} shared by all requests, because at most one reply is open */
    this.reply = {
      write: (chunk) => {
        this.isOpen = true;
        return connection.send(chunk);
      },
      drained: connection.drained,
      end: (chunk) => {
        if (chunk && !connection.send(chunk)) this.#blockIfUnread();
        if (this.isOpen) this.#close();
      },
    };
  }

  /** @param {Buffer} request */
  take(request) {
    if (!this.isOpen && !this.isBlocked) return this.onRequest(request, this.reply);
    this.waiting.push(request);
    this.waitingBytes += request.length + perRequestBytes;
    this.#pauseOrResume();
  }

  #close() {
    this.connection.send(endOfParts);
    this.isOpen = false;
    // A reply may be complete before `onRequest` has returned.
    if (!this.isProceeding) this.#proceed();
  }

  #proceed() {
    this.isProceeding = true;
    while (!this.isOpen && !this.isBlocked) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.waitingBytes -= next.length + perRequestBytes;
      this.onRequest(next, this.reply);
    }
    this.isProceeding = false;
    this.#pauseOrResume();
  }

  async #blockIfUnread() {
    const {connection} = this;
    if (this.isBlocked || connection.unreadBytes() <= maxUnreadBytes) return;
    this.isBlocked = true;
    this.#pauseOrResume();
    await connection.drained();
    this.isBlocked = false;
    this.#proceed();
  }

  #pauseOrResume() {
    const mustPause = this.isBlocked || this.waitingBytes > maxWaitingBytes;
    if (mustPause === this.isPaused) return;
    this.isPaused = mustPause;
    if (mustPause) this.connection.pause();
    else this.connection.resume();
  }
}
