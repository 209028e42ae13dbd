import {distance, headerBytes, messageHeaderBytes} from './datagram.js';

/**
 * @typedef {object} OutgoingOptions
 * @property {number} first the number of the first datagram
 * @property {number} window maximum number of unacknowledged datagrams; a power of two
 * @property {number} room how many datagrams the other end can accept
 * @property {number} datagramBytes the maximum size of a datagram
 * @property {boolean} isBatching whether a message may begin in the datagram in which another one ends
 * @property {(datagram: Buffer, length: number, sequence: number) => void} transmit writes the header and sends
 */

/** When this number of later datagrams has arrived, a missing datagram was lost, and not only reordered (RFC 6675). */
const laterOfLoss = 3;

/** The value of `deadline` while no datagram waits for an acknowledgement. */
const never = Number.POSITIVE_INFINITY;

/**
 * The sending half of a session, which fills datagrams with messages, and keeps each datagram until it is acknowledged. An acknowledgement
 * says how many later datagrams have arrived, which shows a loss before the timeout. After a loss, more losses are likely. So until all
 * datagrams sent before the loss was detected are acknowledged, one later datagram suffices as a sign, and so does an acknowledgement of
 * the retransmitted datagram alone. The window has a fixed size, without congestion control.
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
    /** The number of the oldest unacknowledged datagram, and the number of the next new datagram. */
    this.acknowledged = first;
    this.next = first;
    /** The datagrams between `acknowledged` and `next`, by number. @type {(Buffer | null)[]} */
    this.slots = new Array(window).fill(null);
    this.lengths = new Int32Array(window);
    this.sentAtMs = new Float64Array(window);
    this.isSentAgain = new Uint8Array(window);
    /** The datagram that is being filled, of which `length` bytes are used. @type {Buffer | null} */
    this.open = null;
    this.length = 0;
    /** Messages that are not completely in datagrams. @type {{id: number, payload: Buffer, offset: number}[]} */
    this.waiting = [];
    this.firstWaiting = 0;
    this.waitingBytes = 0;
    /** Buffers for new datagrams. @type {Buffer[]} */
    this.spare = [];
    this.isRecovering = false;
    this.recoverUntil = first;
    /** The time at which the oldest datagram counts as lost. */
    this.deadline = never;
    /** How many timeouts have occurred since the last acknowledgement. */
    this.timeouts = 0;
    this.retransmissions = 0;
  }

  /** The number of unacknowledged datagrams. */
  get inFlight() {
    return distance(this.next, this.acknowledged);
  }

  /** Whether all messages are in datagrams. A datagram that is being filled may wait for `flush`. */
  get isEmpty() {
    return this.firstWaiting === this.waiting.length;
  }

  /** Whether all messages were acknowledged. */
  get isDone() {
    return this.isEmpty && this.open === null && this.inFlight === 0;
  }

  /**
   * Takes a message. Its bytes are copied as soon as the window has room for them.
   * @param {number} id @param {Buffer} payload @param {number} nowMs
   * @returns {boolean} false: not all bytes were copied; `isEmpty` becomes true when they are
   */
  write(id, payload, nowMs) {
    this.waiting.push({id, payload, offset: -1});
    this.waitingBytes += payload.length;
    this.#fill(nowMs);
    return this.isEmpty;
  }

  /** Sends the datagram that is being filled. @param {number} nowMs */
  flush(nowMs) {
    if (this.open && this.length > headerBytes) this.#seal(nowMs);
  }

  /** Sends an empty datagram, which must be acknowledged, unless another datagram waits for an acknowledgement. @param {number} nowMs */
  probe(nowMs) {
    if (this.inFlight > 0 || this.open) return;
    this.#begin();
    this.#seal(nowMs);
  }

  /**
   * @param {number} acknowledged the number of the next datagram that the other end expects
   * @param {number} room
   * @param {number} later how many later datagrams the other end has; 0 if unknown
   * @param {number} nowMs
   */
  acknowledge(acknowledged, room, later, nowMs) {
    this.timeouts = 0;
    const count = distance(acknowledged, this.acknowledged);
    if (count < 0 || distance(acknowledged, this.next) > 0) return;
    // An end without room dropped the datagrams.
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

  /** Retransmits the oldest datagram if its timeout has passed. @param {number} nowMs */
  tick(nowMs) {
    if (nowMs < this.deadline) return;
    this.timeouts += 1;
    this.estimate.backOff();
    this.#recover(nowMs);
  }

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
      // The kernel may still reference a datagram that was sent again.
      if (this.isSentAgain[slot] === 0) this.spare.push(/** @type {Buffer} */ (slots[slot]));
      else isSentOnce = false;
      slots[slot] = null;
    }
    // A datagram after a retransmitted one does not measure the round-trip time of the network.
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

  /** @param {number} nowMs */
  #sendAgain(nowMs) {
    const slot = this.acknowledged & this.mask;
    this.isSentAgain[slot] = 1;
    this.retransmissions += 1;
    this.deadline = nowMs + this.estimate.timeoutMs;
    this.transmit(/** @type {Buffer} */ (this.slots[slot]), this.lengths[slot], this.acknowledged);
  }

  /** Copies messages into datagrams, and sends full datagrams. @param {number} nowMs */
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

  /** Allows at least one datagram, so that an end without room is probed repeatedly. */
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

/** How long a receiver may wait before it sends a separate acknowledgement. Usually, a reply carries the acknowledgement. */
export const acknowledgeWithinMs = 2;

/** The timeout before the first measurement. RFC 6298 uses 1 s, for the whole Internet. Within a data centre, no round trip takes 200 ms. */
const initialMs = 200;
/**
 * The minimum timeout. RFC 6298 uses 1 s, and allows less. Vasudevan et al., "Safe and effective fine-grained TCP retransmissions for
 * datacenter communication" (SIGCOMM 2009), show that timeouts near the round-trip time are safe in local networks. Garbage collection or
 * compilation silences a process for some milliseconds, so a lower minimum would retransmit datagrams that are not lost.
 */
const minMs = 10;
/** The maximum timeout. Ten attempts fit into the inactivity bound, and the sender soon notices an end that continues after a stop. */
const maxMs = 500;
/** The clock granularity G of RFC 6298. */
const granularityMs = 1;

/**
 * The timeout after which a datagram counts as lost, by RFC 6298, section 2. The maximum delay of an acknowledgement is added, as in RFC
 * 9002, section 6.2.1.
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
   * Ends the back-off after an acknowledgement of a new datagram, even a retransmitted one, as Linux does. Otherwise, timeouts would stay
   * long in a lossy network, where few datagrams are sent only once.
   */
  reset() {
    if (this.smoothedMs < 0) {
      this.timeoutMs = initialMs;
      return;
    }
    const timeoutMs = this.smoothedMs + Math.max(granularityMs, 4 * this.variationMs) + acknowledgeWithinMs;
    this.timeoutMs = Math.min(maxMs, Math.max(minMs, timeoutMs));
  }

  backOff() {
    this.timeoutMs = Math.min(maxMs, 2 * this.timeoutMs);
  }
}
