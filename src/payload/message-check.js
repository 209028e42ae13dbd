import {RunError} from '../errors.js';
import {clientOf, sequenceBytes, sequenceOf, stampSequence} from './stamp.js';

/** @import {PayloadRing} from './ring.js' */

/**
 * How a server makes a reply from a request. The replies of a server that a person names may have any content: `status`
 * counts the replies that report success, and `any` counts all replies.
 * @typedef {'echo' | 'increment' | 'status' | 'any'} Answer
 */

/** Whether the content of replies is unknown, so that no reply is compared. @param {Answer | undefined} answer */
export function isUnchecked(answer) {
  return answer === 'status' || answer === 'any';
}

/** Compares messages with the expected messages: the length and sequence number of each, and all bytes of every k-th message. */
export class MessageCheck {
  /**
   * @param {PayloadRing} ring the source of the requests
   * @param {{answer: Answer, every: number, anyClient?: boolean}} options every: k; anyClient: also accepts messages of
   *   clients other than the ring's client
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
   * @param {Buffer} reply @param {number} sequence the sequence number of the request
   * @param {number} [content] the index of the request's content; default: the sequence number
   * @returns {boolean} whether all bytes were compared; false if the content is unknown
   * @throws {RunError} PB_WRONG_REPLY: names the first offset that differs, the expected byte and the received byte
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

const bitsPerChunk = 65_536;

/**
 * Counts the distinct, duplicated and reordered sequence numbers of one sender exactly (RFC 4737). The tracker stores only
 * the next number while no number is missing; after a gap it stores a bit for each number.
 */
export class SequenceTracker {
  /** @param {number} [first] the first number */
  constructor(first = 0) {
    /** All numbers below the frontier have arrived. */
    this.frontier = first;
    this.highest = first - 1;
    this.distinct = 0;
    this.duplicated = 0;
    this.reordered = 0;
    /** @type {Map<number, Uint8Array>} */
    this.chunks = new Map();
  }

  /** @param {number} sequence @returns {boolean} whether the number is new */
  add(sequence) {
    if (sequence === this.frontier && sequence > this.highest) {
      this.frontier += 1;
      this.highest = sequence;
      this.distinct += 1;
      return true;
    }
    return this.#addOutOfOrder(sequence);
  }

  /** @param {number} sequence */
  #addOutOfOrder(sequence) {
    if (sequence < this.frontier || this.#mark(sequence)) {
      this.duplicated += 1;
      return false;
    }
    this.distinct += 1;
    if (sequence < this.highest) this.reordered += 1;
    else this.highest = sequence;
    this.#advance();
    return true;
  }

  /** @param {number} sequence @returns {boolean} whether the number was marked before */
  #mark(sequence) {
    const index = Math.floor(sequence / bitsPerChunk);
    let chunk = this.chunks.get(index);
    if (!chunk) {
      chunk = new Uint8Array(bitsPerChunk / 8);
      this.chunks.set(index, chunk);
    }
    const bit = sequence % bitsPerChunk;
    const was = (chunk[bit >> 3] & (1 << (bit & 7))) !== 0;
    chunk[bit >> 3] |= 1 << (bit & 7);
    return was;
  }

  /** Moves the frontier over the received numbers, and drops the chunks below the frontier. */
  #advance() {
    for (;;) {
      const index = Math.floor(this.frontier / bitsPerChunk);
      const chunk = this.chunks.get(index);
      const bit = this.frontier % bitsPerChunk;
      if (!chunk || (chunk[bit >> 3] & (1 << (bit & 7))) === 0) return;
      this.frontier += 1;
      if (this.frontier % bitsPerChunk === 0) this.chunks.delete(index);
    }
  }
}

/**
 * Whether a reply is the right one, where a wrong one is an outcome of its request and no failure of the load.
 * @template Reply @param {{check: (reply: Reply, sequence: number) => unknown}} check throws for a wrong reply @param {Reply} reply
 * @param {number} sequence of the request
 */
export function isRight(check, reply, sequence) {
  try {
    check.check(reply, sequence);
    return true;
  } catch {
    return false;
  }
}
