import {RunError} from '../../errors.js';

/** @import {NatsConnection} from '@nats-io/transport-node' */

/** A mark follows so many bytes: the server's answer to it says that it has read all that came before. */
const markEveryBytes = 256 * 1024;
/** At most so many bytes may be under way to the server, of which nothing is known yet. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** What a message has besides its payload, about. */
const overheadBytes = 64;

/**
 * Publishes with back-pressure, which core NATS has none of: the library buffers without a bound whatever the server has not read yet. So a
 * ping goes out after every 256 KiB, and a publisher waits when 4 MiB have no answer.
 */
export class Publisher {
  /** @param {NatsConnection} nats @param {Promise<void>} closed rejects when the connection is lost */
  constructor(nats, closed) {
    this.nats = nats;
    this.maxPayloadBytes = nats.info?.max_payload ?? Number.POSITIVE_INFINITY;
    this.published = 0;
    this.marked = 0;
    this.answered = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(() => void)[]} */
    this.watchers = [];
    closed.catch((error) => this.#fail(error));
  }

  /**
   * @param {string} subject
   * @param {Buffer} payload
   * @returns {boolean} false: wait for `drained`
   * @throws {RunError} PB_NACK when the server would refuse a message of this size
   */
  publish(subject, payload) {
    this.send(subject, payload);
    this.published += payload.length + overheadBytes;
    if (this.published - this.marked >= markEveryBytes) this.#mark();
    return this.#hasRoom;
  }

  /**
   * The same without back-pressure, for requests: their window bounds them.
   * @param {string} subject
   * @param {Buffer} payload
   * @param {{reply?: string}} [options]
   */
  send(subject, payload, options) {
    if (payload.length > this.maxPayloadBytes) throw tooLarge(payload.length, this.maxPayloadBytes);
    this.nats.publish(subject, payload, options);
  }

  /** @throws what ended the connection */
  async drained() {
    while (!this.#hasRoom) await this.#change();
    if (this.failure) throw this.failure;
  }

  /**
   * The server has read everything. It confirms nothing: core NATS does not say whether anybody received a message.
   * @returns {Promise<{confirmed: null}>}
   */
  async flushed() {
    this.#mark();
    while (this.answered < this.marked && !this.failure) await this.#change();
    if (this.failure) throw this.failure;
    return {confirmed: null};
  }

  get #hasRoom() {
    return this.failure !== null || this.published - this.answered < maxUnansweredBytes;
  }

  #mark() {
    const mark = this.published;
    this.marked = mark;
    this.nats.flush().then(
      () => {
        this.answered = mark;
        this.#wake();
      },
      // The connection ended, which `closed` says.
      () => {},
    );
  }

  /** @param {Error} error */
  #fail(error) {
    this.failure ??= error;
    this.#wake();
  }

  #wake() {
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  /** @returns {Promise<void>} */
  #change() {
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }
}

/** @param {number} payloadBytes @param {number} maxBytes */
function tooLarge(payloadBytes, maxBytes) {
  return new RunError(
    `The NATS server takes messages of at most ${maxBytes} bytes; this one has ${payloadBytes}. Raise max_payload in its configuration, or use a private one: --broker private.`,
    {code: 'PB_NACK'},
  );
}
