import {RunError} from '../errors.js';
import {clientOf, sequenceBytes, sequenceOf, stampSequence} from './stamp.js';

/** @import {PayloadRing} from './ring.js' */

/**
 * How the reply to a request is made from it. Of a server that a person names, a reply may also have any content: `status` counts those that say that
 * the request succeeded, and `any` counts all.
 * @typedef {'echo' | 'increment' | 'status' | 'any'} Answer
 */

/** Whether the content of replies is not known, so that none is compared. @param {Answer | undefined} answer */
export function isUnchecked(answer) {
  return answer === 'status' || answer === 'any';
}

/** Compares messages with the expected ones: the length and the sequence number of each, and every byte of every k-th. */
export class MessageCheck {
  /**
   * @param {PayloadRing} ring the source of the requests
   * @param {{answer: Answer, every: number, anyClient?: boolean}} options answer: how the server makes the reply; every: k;
   *   anyClient: also accept messages of other clients than the ring's
   */
  constructor(ring, {answer, every, anyClient = false}) {
    this.client = anyClient ? null : ring.client;
    this.ring = ring;
    this.every = every;
    this.isUnchecked = isUnchecked(answer);
    this.added = answer === 'increment' ? 1 : 0;
    this.contents = answer === 'increment' ? ring.templates.map(increment) : ring.templates;
    this.length = ring.payloadBytes;
    this.from = ring.numbered ? sequenceBytes : 0;
    this.stamp = Buffer.alloc(sequenceBytes);
  }

  /**
   * @param {Buffer} reply
   * @param {number} sequence of its request
   * @param {number} [content] the index of the request's content; by default its sequence number
   * @returns {boolean} whether every byte was compared; never where the content is not known
   * @throws {RunError} PB_WRONG_REPLY, naming the first offset that differs, the expected byte and the received byte
   */
  check(reply, sequence, content = sequence) {
    const {from, length, contents} = this;
    if (this.isUnchecked) return false;
    if (reply.length !== length || (from > 0 && !this.#hasSequence(reply, sequence)))
      throw wrongReply(reply, this.#expected(sequence, content));
    if (sequence % this.every !== 0) return false;
    if (contents[content % contents.length].compare(reply, from, length, from, length) !== 0) {
      throw wrongReply(reply, this.#expected(sequence, content));
    }
    return true;
  }

  /** @param {Buffer} reply @param {number} sequence */
  #hasSequence(reply, sequence) {
    if (this.added === 0)
      return sequenceOf(reply) === sequence && (this.client === null || clientOf(reply) === this.client);
    stampSequence(this.stamp, this.ring.client, sequence);
    for (let offset = 0; offset < sequenceBytes; offset += 1) {
      if (reply[offset] !== ((this.stamp[offset] + this.added) & 0xff)) return false;
    }
    return true;
  }

  /** @param {number} sequence @param {number} content */
  #expected(sequence, content) {
    const request = Buffer.from(this.ring.templates[content % this.ring.templates.length]);
    if (this.ring.numbered) stampSequence(request, this.ring.client, sequence);
    return this.added === 0 ? request : increment(request);
  }
}

/** @param {Buffer} payload */
function increment(payload) {
  return Buffer.from(payload.map((byte) => byte + 1));
}

/** @param {Buffer} reply @param {Buffer} expected */
function wrongReply(reply, expected) {
  return new RunError(describeDifference(reply, expected), {code: 'PB_WRONG_REPLY'});
}

/** @param {Buffer} reply @param {Buffer} expected */
function describeDifference(reply, expected) {
  if (reply.length !== expected.length) {
    return `A reply has ${reply.length} bytes; ${expected.length} were expected.`;
  }
  const offset = expected.findIndex((byte, index) => reply[index] !== byte);
  return `A reply differs from its request at offset ${offset}: expected ${hex(expected[offset])}, received ${hex(reply[offset])}.`;
}

/** @param {number} byte */
function hex(byte) {
  return `0x${byte.toString(16).padStart(2, '0')}`;
}
