import {RunError} from '../../errors.js';
import {Marks} from '../marked-messages.js';

/** @import {Msg, NatsConnection} from '@nats-io/transport-node' */

/** The default of max_pending: how much a server keeps for one subscriber. max_payload cannot be more. */
const maxPendingBytes = 64 * 1024 * 1024;
/** Maximum size of the line before a payload, with the longest subjects of a battle. */
const maxLineBytes = 1024;

/** Publishes with back-pressure. The server answers a ping when it has read all earlier bytes. It confirms no message. */
export class Publisher extends Marks {
  /** @param {NatsConnection} nats @param {Promise<void>} closed rejects when the connection is lost */
  constructor(nats, closed) {
    // `closed` reports a lost connection.
    super(
      (reply) =>
        void nats.flush().then(
          () => reply(null),
          () => {},
        ),
      closed,
    );
    /** @type {number | null} */
    this.confirmed = null;
    this.nats = nats;
    const {max_payload: maxPayload = Number.POSITIVE_INFINITY} = nats.info ?? {};
    this.maxPayloadBytes = Math.min(maxPayload, maxPendingBytes - maxLineBytes);
  }

  /**
   * @param {string} subject @param {Buffer} payload
   * @returns {boolean} false: wait for `drained`
   * @throws {RunError} PB_NACK when the server would refuse a message of this size
   */
  publish(subject, payload) {
    this.send(subject, payload);
    return this.add(payload);
  }

  /**
   * Publishes without back-pressure, for requests, which a window bounds.
   * @param {string} subject @param {Buffer} payload @param {{reply?: string}} [options]
   */
  send(subject, payload, options) {
    if (payload.length > this.maxPayloadBytes) throw tooLarge(payload.length, this.maxPayloadBytes);
    this.nats.publish(subject, payload, options);
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
