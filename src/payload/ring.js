import {randomBytes} from './random.js';
import {minNumberedBytes, restampSequence, stampSequence} from './stamp.js';

const maxTemplates = 16;
const ringLimitBytes = 64 * 1024 * 1024;
/** The bytes that a transport may buffer before it reports back-pressure. */
const bufferedBytes = 128 * 1024;

/**
 * The payloads of a client, created before the measurement. A ring has 16 different contents; above 4 MiB it has fewer, at
 * least two, within 64 MiB. `next` and `take` stamp a payload with a sequence number, so that a reply to an earlier request
 * differs from the expected reply. A ring has a buffer for each message in flight, so that no buffer is stamped again before
 * it was sent.
 */
export class PayloadRing {
  /**
   * @param {readonly Buffer[]} payloads of equal length
   * @param {{templates?: readonly Buffer[], client?: number}} [details] templates: the different contents; client: the number of the client
   */
  constructor(payloads, {templates = payloads, client = 0} = {}) {
    this.payloads = payloads;
    this.templates = templates;
    this.client = client;
    this.taken = 0;
    this.slot = 0;
    this.numbered = payloads[0].length >= minNumberedBytes;
    if (this.numbered) for (const payload of payloads) stampSequence(payload, client, 0);
  }

  /** @returns {number} in bytes */
  get payloadBytes() {
    return this.payloads[0].length;
  }

  /** Restarts the sequence numbers at 0. The caller knows that all sent messages have arrived. */
  restart() {
    if (this.numbered && this.taken >= 2 ** 32)
      for (const payload of this.payloads) stampSequence(payload, this.client, 0);
    this.taken = 0;
    this.slot = 0;
  }

  /**
   * The next payload, stamped with its sequence number, which is the value of `taken` before the call.
   * @returns {Buffer} valid until the ring has cycled through all payloads
   */
  next() {
    const payload = this.take(this.slot);
    this.slot += 1;
    if (this.slot === this.payloads.length) this.slot = 0;
    return payload;
  }

  /**
   * The payload of a slot, stamped in the same way. With replies in any order, a request keeps its slot until its reply arrives.
   * @param {number} slot the index of the content is the slot modulo the number of contents
   */
  take(slot) {
    const payload = this.payloads[slot];
    if (this.numbered) restampSequence(payload, this.client, this.taken);
    this.taken += 1;
    return payload;
  }
}

/**
 * @param {{payloadBytes: number, seed: number, client?: number, inFlight?: number, isOneWay?: boolean}} options inFlight: the maximum
 *   number of messages in flight; isOneWay: whether no reply shows that a message was sent
 * @param {Buffer} [content] replaces pseudo-random bytes
 */
export function makePayloadRing({payloadBytes, seed, client = 0, inFlight = 1, isOneWay = false}, content) {
  const templates = makeTemplates({payloadBytes, seed}, content);
  const needed = inFlight + (isOneWay ? Math.ceil(bufferedBytes / payloadBytes) : 0);
  // The ring may stamp the templates themselves: a comparison skips the stamp.
  if (needed <= templates.length) return new PayloadRing(templates, {client});
  const copies = Array.from({length: Math.ceil(needed / templates.length) * templates.length}, (_, slot) =>
    Buffer.from(templates[slot % templates.length]),
  );
  return new PayloadRing(copies, {templates, client});
}

/**
 * The different contents, which client and server can both create. Message n has content n modulo the number of contents.
 * @param {{payloadBytes: number, seed: number}} options @param {Buffer} [content] @returns {Buffer[]}
 */
export function makeTemplates({payloadBytes, seed}, content) {
  if (content) return [Buffer.from(content), Buffer.from(content)];
  const count = Math.max(2, Math.min(maxTemplates, Math.floor(ringLimitBytes / payloadBytes)));
  return Array.from({length: count}, (_, slot) =>
    randomBytes(seed, `payload ${slot} of ${payloadBytes}`, payloadBytes),
  );
}
