/** @import {EncodedLog, Outage} from './types.js' */

/**
 * open: unknown, because the connection ended before, or because nothing confirms messages; taken: confirmed by the broker, or answered with the right
 * reply; refused: refused by the broker, or answered with a wrong reply.
 */
export const outcomes = /** @type {const} */ ({open: 0, taken: 1, refused: 2});

/** The initial length of the growing arrays. */
const initialMessages = 4096;

/**
 * The outcome of each message of a steady load, by sequence number. A client keeps the log during faults, and reports it at the end. The account of
 * messages is made from the log and from the received messages (src/faults/account.js).
 */
export class MessageLog {
  /** @param {{startMs: number, rate: number | null, settles: boolean}} load rate: see `EncodedLog` */
  constructor({startMs, rate, settles}) {
    this.startMs = startMs;
    this.rate = rate;
    this.settles = settles;
    this.messages = 0;
    this.resent = 0;
    /** The messages that were sent again. @type {Set<number>} */
    this.retried = new Set();
    /** @type {Outage[]} */
    this.outages = [];
    this.sentMs = new Float32Array(initialMessages);
    this.settledMs = new Float32Array(initialMessages);
    this.outcomes = new Uint8Array(initialMessages);
  }

  /** @param {number} nowMs since the start @returns {number} the sequence number of the message */
  send(nowMs) {
    const sequence = this.messages;
    if (sequence === this.outcomes.length) this.#grow();
    this.messages += 1;
    this.sentMs[sequence] = nowMs;
    this.settledMs[sequence] = Number.NaN;
    return sequence;
  }

  /** @param {number} sequence @param {number} outcome @param {number} nowMs */
  settle(sequence, outcome, nowMs) {
    if (this.outcomes[sequence] !== outcomes.open) return;
    this.outcomes[sequence] = outcome;
    this.settledMs[sequence] = nowMs;
  }

  /** @param {number} sequence of a message that is sent again */
  retry(sequence) {
    this.resent += 1;
    this.retried.add(sequence);
  }

  /** @returns {EncodedLog} */
  encode() {
    const {startMs, rate, settles, messages, resent, outages} = this;
    return {
      ...{startMs, rate, settles, messages, resent, outages},
      sentMs: encode(this.sentMs.subarray(0, messages)),
      settledMs: encode(this.settledMs.subarray(0, messages)),
      outcomes: encode(this.outcomes.subarray(0, messages)),
      retried: encodeNumbers(this.retried),
    };
  }

  #grow() {
    const size = this.outcomes.length * 2;
    for (const name of /** @type {const} */ (['sentMs', 'settledMs', 'outcomes'])) {
      const larger = new /** @type {any} */ (this[name].constructor)(size);
      larger.set(this[name]);
      this[name] = larger;
    }
  }
}

/**
 * @param {EncodedLog} encoded
 * @returns {Omit<EncodedLog, 'sentMs' | 'settledMs' | 'outcomes' | 'retried'> & {sentMs: Float32Array, settledMs: Float32Array, outcomes: Uint8Array,
 *   retried: ReadonlySet<number>}}
 */
export function decodeLog(encoded) {
  return {
    ...encoded,
    sentMs: new Float32Array(bytesOf(encoded.sentMs).buffer),
    settledMs: new Float32Array(bytesOf(encoded.settledMs).buffer),
    outcomes: bytesOf(encoded.outcomes),
    retried: decodeNumbers(encoded.retried),
  };
}

/** @typedef {ReturnType<typeof decodeLog>} Log */

/** @param {ReadonlySet<number>} numbers sequence numbers @returns {string} base64 */
export function encodeNumbers(numbers) {
  return encode(Uint32Array.from(numbers));
}

/** @param {string} text @returns {Set<number>} */
export function decodeNumbers(text) {
  return new Set(new Uint32Array(bytesOf(text).buffer));
}

/** @param {Float32Array | Uint32Array | Uint8Array} list */
function encode({buffer, byteOffset, byteLength}) {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Copies the bytes into a separate buffer, which aligns them. @param {string} text */
function bytesOf(text) {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}
