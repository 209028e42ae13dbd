import {distance, headerBytes, messageHeaderBytes} from './datagram.js';

/**
 * @typedef {object} OutgoingOptions
 * @property {number} first the number of the first datagram
 * @property {number} window how many datagrams may be without an acknowledgement; a power of two
 * @property {number} room how many the other end can take
 * @property {number} datagramBytes the maximum size of a datagram
 * @property {boolean} isBatching whether a message may begin in the datagram in which another one ends
 * @property {(datagram: Buffer, length: number, sequence: number) => void} transmit writes the header and sends
 */

/** As in RFC 6675: when this many later datagrams have arrived, a missing one was lost, and not only overtaken. */
const laterOfLoss = 3;

/** What `deadline` is while nothing waits for an acknowledgement. */
const never = Number.POSITIVE_INFINITY;

/**
 * The sending half of a session: fills datagrams with messages, and keeps each until it is acknowledged. An acknowledgement says how many later
 * datagrams have arrived, which shows a loss before its time is over. When something was lost, probably more was: until all that was sent by then
 * is acknowledged, one later datagram suffices, and so does an acknowledgement of nothing but what was sent again. The window has a fixed
 * size: there is no congestion control.
 */
export class Outgoing {
  /** @param {OutgoingOptions} options */
  constructor({first, window, room, datagramBytes, isBatching, transmit}) {
    this.window = window;
    this.mask = window - 1;
    this.room = room;
    this.datagramBytes = datagramBytes;
    this.isBatching = isBatching;
    this.transmit = transmit;
    this.estimate = new RoundTripEstimate();
    /** The number of the oldest datagram without an acknowledgement, and that of the next new one. */
    this.acknowledged = first;
    this.next = first;
    /** The datagrams between the two, by their number. @type {(Buffer | null)[]} */
    this.slots = new Array(window).fill(null);
    this.lengths = new Int32Array(window);
    this.sentAtMs = new Float64Array(window);
    this.isSentAgain = new Uint8Array(window);
    /** The datagram being filled, and how far it is. @type {Buffer | null} */
    this.open = null;
    this.length = 0;
    /** Messages that are not wholly in datagrams. @type {{id: number, payload: Buffer, offset: number}[]} */
    this.waiting = [];
    this.firstWaiting = 0;
    this.waitingBytes = 0;
    /** Datagrams to use again. @type {Buffer[]} */
    this.spare = [];
    this.isRecovering = false;
    this.recoverUntil = first;
    /** When the oldest datagram counts as lost. */
    this.deadline = never;
    /** How many timeouts there were since the other end was last heard. */
    this.timeouts = 0;
    this.retransmissions = 0;
  }

  /** Datagrams without an acknowledgement. */
  get inFlight() {
    return distance(this.next, this.acknowledged);
  }

  /** Whether everything that was written is in datagrams. A datagram that is being filled may wait for `flush`. */
  get isEmpty() {
    return this.firstWaiting === this.waiting.length;
  }

  /** Whether everything was acknowledged. */
  get isDone() {
    return this.isEmpty && this.open === null && this.inFlight === 0;
  }

  /**
   * Takes a message. Its bytes are copied as soon as the window has room for them.
   * @param {number} id
   * @param {Buffer} payload
   * @param {number} nowMs
   * @returns {boolean} false: not all bytes were copied yet, and `isEmpty` will be true when they are
   */
  write(id, payload, nowMs) {
    this.waiting.push({id, payload, offset: -1});
    this.waitingBytes += payload.length;
    this.#fill(nowMs);
    return this.isEmpty;
  }

  /** Sends the datagram being filled. @param {number} nowMs */
  flush(nowMs) {
    if (this.open && this.length > headerBytes) this.#seal(nowMs);
  }

  /** Sends a datagram without content, which must be acknowledged, unless another one waits for that. @param {number} nowMs */
  probe(nowMs) {
    if (this.inFlight > 0 || this.open) return;
    this.#begin();
    this.#seal(nowMs);
  }

  /**
   * @param {number} acknowledged the number of the next datagram that the other end expects
   * @param {number} room
   * @param {number} later how many datagrams after that one it has; 0 if that is not known
   * @param {number} nowMs
   */
  acknowledge(acknowledged, room, later, nowMs) {
    this.timeouts = 0;
    const count = distance(acknowledged, this.acknowledged);
    if (count < 0 || distance(acknowledged, this.next) > 0) return;
    // What was sent to an end without room was dropped there.
    const isReopened = this.room === 0 && room > 0;
    this.room = room;
    if (count > 0) this.#release(count, nowMs);
    const isLost = this.isRecovering ? later > 0 || count === 1 : later >= laterOfLoss;
    if (this.inFlight > 0) {
      if (isReopened) this.#sendAgain(nowMs);
      else if (isLost && this.isSentAgain[this.acknowledged & this.mask] === 0) this.#recover(nowMs);
    }
    if (this.isEmpty) return;
    this.#fill(nowMs);
    if (this.isEmpty) this.flush(nowMs);
  }

  /** Sends the oldest datagram again if its time is over. @param {number} nowMs */
  tick(nowMs) {
    if (nowMs < this.deadline) return;
    this.timeouts += 1;
    this.estimate.backOff();
    this.#recover(nowMs);
  }

  /** Forgets everything. */
  end() {
    this.waiting = [];
    this.firstWaiting = 0;
    this.waitingBytes = 0;
    this.open = null;
    this.slots.fill(null);
    this.spare = [];
    this.acknowledged = this.next;
    this.deadline = never;
  }

  /** @param {number} count @param {number} nowMs */
  #release(count, nowMs) {
    const {slots, mask} = this;
    const newest = (this.acknowledged + count - 1) & mask;
    let isSentOnce = true;
    for (let released = 0; released < count; released += 1) {
      const slot = (this.acknowledged + released) & mask;
      // The kernel may still hold a datagram that was sent again.
      if (this.isSentAgain[slot] === 0) this.spare.push(/** @type {Buffer} */ (slots[slot]));
      else isSentOnce = false;
      slots[slot] = null;
    }
    // A datagram behind one that was sent again gives no round-trip time of the network.
    if (isSentOnce) this.estimate.add(nowMs - this.sentAtMs[newest]);
    this.estimate.reset();
    this.acknowledged = (this.acknowledged + count) >>> 0;
    this.deadline = this.inFlight > 0 ? nowMs + this.estimate.timeoutMs : never;
    if (this.isRecovering) this.isRecovering = distance(this.recoverUntil, this.acknowledged) > 0;
  }

  /** @param {number} nowMs */
  #recover(nowMs) {
    if (!this.isRecovering) this.recoverUntil = this.next;
    this.isRecovering = true;
    this.#sendAgain(nowMs);
  }

  /** Sends the oldest datagram again. @param {number} nowMs */
  #sendAgain(nowMs) {
    const slot = this.acknowledged & this.mask;
    this.isSentAgain[slot] = 1;
    this.retransmissions += 1;
    this.deadline = nowMs + this.estimate.timeoutMs;
    this.transmit(/** @type {Buffer} */ (this.slots[slot]), this.lengths[slot], this.acknowledged);
  }

  /** Copies messages into datagrams, and sends those that are full. @param {number} nowMs */
  #fill(nowMs) {
    while (this.firstWaiting < this.waiting.length) {
      if (!this.open && !this.#hasRoom()) return;
      const open = this.open ?? this.#begin();
      const message = this.waiting[this.firstWaiting];
      if (message.offset < 0 && this.length + messageHeaderBytes > this.datagramBytes) {
        this.#seal(nowMs);
        continue;
      }
      if (message.offset < 0) {
        this.length = open.writeUInt32BE(message.payload.length, this.length);
        this.length = open.writeUInt32BE(message.id, this.length);
        message.offset = 0;
      }
      const copied = message.payload.copy(open, this.length, message.offset);
      message.offset += copied;
      this.length += copied;
      this.waitingBytes -= copied;
      const isWhole = message.offset === message.payload.length;
      if (isWhole) this.#shift();
      if (this.length === this.datagramBytes || (isWhole && !this.isBatching)) this.#seal(nowMs);
    }
  }

  #shift() {
    this.firstWaiting += 1;
    if (this.firstWaiting === this.waiting.length) {
      this.waiting.length = 0;
      this.firstWaiting = 0;
    } else if (this.firstWaiting === 1024) {
      this.waiting.splice(0, 1024);
      this.firstWaiting = 0;
    }
  }

  /** One datagram is always allowed, so that an end without room is asked again and again. */
  #hasRoom() {
    return this.inFlight < Math.min(this.window, Math.max(1, this.room));
  }

  #begin() {
    this.open = this.spare.pop() ?? Buffer.allocUnsafeSlow(this.datagramBytes);
    this.length = headerBytes;
    return this.open;
  }

  /** @param {number} nowMs */
  #seal(nowMs) {
    const datagram = /** @type {Buffer} */ (this.open);
    const sequence = this.next;
    const slot = sequence & this.mask;
    this.slots[slot] = datagram;
    this.lengths[slot] = this.length;
    this.sentAtMs[slot] = nowMs;
    this.isSentAgain[slot] = 0;
    this.open = null;
    if (this.inFlight === 0) this.deadline = nowMs + this.estimate.timeoutMs;
    this.next = (sequence + 1) >>> 0;
    this.transmit(datagram, this.length, sequence);
  }
}

/** A receiver may wait this long before it sends an acknowledgement alone: a reply usually carries it. */
export const acknowledgeWithinMs = 2;

/** Until something was measured. RFC 6298 has 1 s, for the whole Internet; within a data centre, no round trip takes this long. */
const initialMs = 200;
/**
 * RFC 6298 has 1 s, and allows less. Vasudevan et al., "Safe and effective fine-grained TCP retransmissions for datacenter communication"
 * (SIGCOMM 2009), show that timeouts near the round-trip time are safe in local networks. A process that collects garbage or compiles is silent for
 * some milliseconds, so a still lower bound would send again what is not lost.
 */
const minMs = 10;
/** Ten attempts fit into the time after which the other end is given up, and an end that was stopped and continues is noticed soon. */
const maxMs = 500;
/** The clock granularity G of RFC 6298. */
const granularityMs = 1;

/**
 * When a datagram counts as lost: RFC 6298, section 2. The delay of an acknowledgement is added, as in RFC 9002, section 6.2.1.
 */
class RoundTripEstimate {
  constructor() {
    this.smoothedMs = -1;
    this.variationMs = 0;
    this.timeoutMs = initialMs;
  }

  /** @param {number} ms of a datagram that was sent once (Karn's algorithm) */
  add(ms) {
    if (this.smoothedMs < 0) {
      this.smoothedMs = ms;
      this.variationMs = ms / 2;
    } else {
      this.variationMs = 0.75 * this.variationMs + 0.25 * Math.abs(this.smoothedMs - ms);
      this.smoothedMs = 0.875 * this.smoothedMs + 0.125 * ms;
    }
  }

  /**
   * After an acknowledgement of something new. As in Linux, also if it was sent again: otherwise a lossy network, where few datagrams are sent
   * only once, would be waited for as if it were slow.
   */
  reset() {
    if (this.smoothedMs < 0) {
      this.timeoutMs = initialMs;
      return;
    }
    const timeoutMs = this.smoothedMs + Math.max(granularityMs, 4 * this.variationMs) + acknowledgeWithinMs;
    this.timeoutMs = Math.min(maxMs, Math.max(minMs, timeoutMs));
  }

  /** After a timeout. */
  backOff() {
    this.timeoutMs = Math.min(maxMs, 2 * this.timeoutMs);
  }
}
