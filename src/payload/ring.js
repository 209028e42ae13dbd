import {randomBytes} from './random.js';

/** A payload shorter than this carries no sequence number: it is only counted and compared. */
const shortestNumberedBytes = 16;

const slots = 16;
const ringLimitBytes = 64 * 1024 * 1024;

/**
 * The payloads of a client, made before anything is timed: a ring of 16 different ones (fewer above 4 MiB, so that a ring
 * stays within 64 MiB, and never less than two), each stamped with a sequence number as it is taken. A reply to an
 * earlier request therefore differs from the reply that is due.
 */
export class PayloadRing {
  /** @param {readonly Buffer[]} payloads of equal length */
  constructor(payloads) {
    this.payloads = payloads;
    this.taken = 0;
    this.numbered = payloads[0].length >= shortestNumberedBytes;
  }

  /**
   * The next payload, with its sequence number in the first 8 bytes (big-endian).
   * @returns {Buffer} valid until the ring comes round
   */
  next() {
    const payload = this.payloads[this.taken % this.payloads.length];
    if (this.numbered) {
      payload.writeUInt32BE(Math.floor(this.taken / 2 ** 32), 0);
      payload.writeUInt32BE(this.taken % 2 ** 32, 4);
    }
    this.taken += 1;
    return payload;
  }
}

/**
 * @param {{payloadBytes: number, seed: number}} options
 * @param {Buffer} [content] send these bytes in place of pseudo-random ones
 */
export function makePayloadRing({payloadBytes, seed}, content) {
  const count = Math.max(2, Math.min(slots, Math.floor(ringLimitBytes / payloadBytes)));
  const payloads = Array.from({length: count}, (_, slot) =>
    content ? Buffer.from(content) : randomBytes(seed, `payload ${slot} of ${payloadBytes}`, payloadBytes),
  );
  return new PayloadRing(payloads);
}
