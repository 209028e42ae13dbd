import {RunError} from '../../errors.js';
import {Changes} from '../windowed-publisher.js';

/** @import {Msg, NatsConnection} from '@nats-io/transport-node' */

/** The publisher sends a ping after this number of bytes. The server answers when it has read all earlier bytes. */
const markEveryBytes = 256 * 1024;
/** Maximum number of bytes without an answer from the server. */
const maxUnansweredBytes = 4 * 1024 * 1024;
/** The approximate size of a message without its payload. */
const overheadBytes = 64;
/** The default of max_pending: how much a server keeps for one subscriber. max_payload cannot be more. */
const maxPendingBytes = 64 * 1024 * 1024;
/** Maximum size of the line before a payload, with the longest subjects of a battle. */
const maxLineBytes = 1024;

/**
 * Publishes with back-pressure. The library buffers unread messages without a bound. So the publisher sends a ping after every 256 KiB, and
 * waits when 4 MiB have no answer.
 */
export class Publisher {
  /** @param {NatsConnection} nats @param {Promise<void>} closed rejects when the connection is lost */
  constructor(nats, closed) {
    this.nats = nats;
    const {max_payload: maxPayload = Number.POSITIVE_INFINITY} = nats.info ?? {};
    this.maxPayloadBytes = Math.min(maxPayload, maxPendingBytes - maxLineBytes);
    this.published = 0;
    this.marked = 0;
    this.answered = 0;
    /** @type {Error | null} */
    this.failure = null;
    this.changes = new Changes();
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
   * Publishes without back-pressure, for requests, which a window bounds.
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
    while (!this.#hasRoom) await this.changes.next();
    if (this.failure) throw this.failure;
  }

  /**
   * Resolves when the server has read all messages. Core NATS does not report whether a subscriber received a message.
   * @returns {Promise<{confirmed: null}>}
   */
  async flushed() {
    this.#mark();
    while (this.answered < this.marked && !this.failure) await this.changes.next();
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
        this.changes.announce();
      },
      // The connection was lost, which `closed` reports.
      () => {},
    );
  }

  /** @param {Error} error */
  #fail(error) {
    this.failure ??= error;
    this.changes.announce();
  }
}

/** @param {number} payloadBytes @param {number} maxBytes */
function tooLarge(payloadBytes, maxBytes) {
  const hasServersLimit = maxBytes < maxPendingBytes - maxLineBytes;
  const advice = hasServersLimit
    ? 'Raise max_payload in its configuration, or use a private one: --broker private.'
    : 'No NATS server delivers larger ones by default: max_payload is at most 64 MB, and so is max_pending, which counts the line of a message too. Use a smaller --payload.';
  return new RunError(
    `The NATS server takes messages of at most ${maxBytes} bytes; this one has ${payloadBytes}. ${advice}`,
    {code: 'PB_NACK'},
  );
}

/**
 * Returns the subjects that client and server use, derived from the subject that the user sets.
 * @param {{subject: string, pair?: string}} options pair: in a battle, the name of this pair of processes
 */
export function subjectsOf({subject, pair}) {
  return {
    requests: `${subject}.requests`,
    /** Every server answers here, so that a client can check whether a server exists. */
    presence: `${subject}.presence`,
    queueGroup: 'servers',
    /** Pairs that run concurrently have separate subscribers. */
    broadcast: [subject, 'broadcast', pair].filter(Boolean).join('.'),
  };
}

/** Returns the payload without copying it. @param {Pick<Msg, 'data'>} message */
export function bufferOf({data}) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
