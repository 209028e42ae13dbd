import {randomBytes} from './random.js';
import {restampSequence, shortestNumberedBytes, stampSequence} from './stamp.js';

const mostTemplates = 16;
const ringLimitBytes = 64 * 1024 * 1024;
/** A transport may hold on to this much that it was given before it says that it is full. */
const heldBytes = 128 * 1024;

/**
 * The payloads of a client, made before anything is timed: buffers with 16 different contents (fewer above 4 MiB, so that the contents
 * stay within 64 MiB, and never less than two), each stamped with a sequence number as it is taken. A reply to an earlier request
 * therefore differs from the reply that is due. There are as many buffers as can be on their way at once, so that none is stamped
 * anew before it is gone.
 */
export class PayloadRing {
  /**
   * @param {readonly Buffer[]} payloads of equal length
   * @param {{templates?: readonly Buffer[], client?: number}} [details] templates: the different contents; client: its number
   */
  constructor(payloads, {templates = payloads, client = 0} = {}) {
    this.payloads = payloads;
    this.templates = templates;
    this.client = client;
    this.taken = 0;
    this.slot = 0;
    this.numbered = payloads[0].length >= shortestNumberedBytes;
    if (this.numbered) for (const payload of payloads) stampSequence(payload, client, 0);
  }

  /** @returns {number} in bytes */
  get payloadBytes() {
    return this.payloads[0].length;
  }

  /** Numbers begin at 0 again, when all that was sent is known to have come. */
  restart() {
    if (this.numbered && this.taken >= 2 ** 32)
      for (const payload of this.payloads) stampSequence(payload, this.client, 0);
    this.taken = 0;
    this.slot = 0;
  }

  /**
   * The next payload, stamped with its sequence number, which is `taken` before the call.
   * @returns {Buffer} valid until the ring comes round
   */
  next() {
    const payload = this.take(this.slot);
    this.slot += 1;
    if (this.slot === this.payloads.length) this.slot = 0;
    return payload;
  }

  /**
   * A payload out of turn, stamped likewise: where replies come in any order, whoever has a slot keeps it until its reply is in.
   * @param {number} slot whose content is that of the same number modulo the count of contents
   * @returns {Buffer}
   */
  take(slot) {
    const payload = this.payloads[slot];
    if (this.numbered) restampSequence(payload, this.client, this.taken);
    this.taken += 1;
    return payload;
  }
}

/**
 * @param {{payloadBytes: number, seed: number, client?: number, inFlight?: number, isOneWay?: boolean}} options inFlight: how many may be
 *   on their way at once; isOneWay: nothing comes back that says that one has gone
 * @param {Buffer} [content] send these bytes in place of pseudo-random ones
 */
export function makePayloadRing({payloadBytes, seed, client = 0, inFlight = 1, isOneWay = false}, content) {
  const templates = makeTemplates({payloadBytes, seed}, content);
  const needed = inFlight + (isOneWay ? Math.ceil(heldBytes / payloadBytes) : 0);
  // A stamp in a content itself does no harm: whoever compares passes over it.
  if (needed <= templates.length) return new PayloadRing(templates, {client});
  const copies = Array.from({length: Math.ceil(needed / templates.length) * templates.length}, (_, slot) =>
    Buffer.from(templates[slot % templates.length]),
  );
  return new PayloadRing(copies, {templates, client});
}

/**
 * The different contents: message number n has content number n modulo their count, on whichever side they are made.
 * @param {{payloadBytes: number, seed: number}} options
 * @param {Buffer} [content]
 * @returns {Buffer[]}
 */
export function makeTemplates({payloadBytes, seed}, content) {
  if (content) return [Buffer.from(content), Buffer.from(content)];
  const count = Math.max(2, Math.min(mostTemplates, Math.floor(ringLimitBytes / payloadBytes)));
  return Array.from({length: count}, (_, slot) =>
    randomBytes(seed, `payload ${slot} of ${payloadBytes}`, payloadBytes),
  );
}
