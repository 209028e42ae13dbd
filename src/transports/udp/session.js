import {RunError} from '../../errors.js';
import {Changes} from '../windowed-publisher.js';
import {
  distance,
  firstSequenceOf,
  headerBytes,
  kinds,
  MessageReader,
  makeDatagram,
  writeHeader,
} from './datagram.js';
import {acknowledgeWithinMs, Outgoing} from './outgoing.js';

/** @import {Header} from './datagram.js' */

/**
 * @typedef {object} SessionOptions
 * @property {number} id
 * @property {number} window maximum number of kept and of unacknowledged datagrams of this end; a power of two
 * @property {number} room how many datagrams the other end can accept
 * @property {number} datagramBytes the maximum size of a datagram, in both directions
 * @property {boolean} isBatching
 * @property {() => number} now milliseconds of a monotonic clock
 * @property {(datagram: Buffer, length: number) => void} transmit sends a datagram, which may be lost; must not keep the buffer
 * @property {(id: number, payload: Buffer, session: Session) => void} onMessage
 * @property {(error: Error) => void} onEnd is called when the session has ended, but not after `close`
 * @property {(deadline: number) => void} wakeAt asks for a call of `tick` at that time, by the clock of `now`
 */

/** The session ends after this time without a datagram from the other end. The control channel of a role has the same bound. */
export const inactivityMs = 5000;
/** The minimum number of timeouts before a session ends: a process that was stopped must first read what arrived meanwhile. */
const minTimeouts = 3;
/** One of this number of datagrams is acknowledged at once, at least four in a window. */
const acknowledgeEvery = 16;

/** One end of a session, with both halves and the acknowledgements. It has neither a socket nor a timer. */
export class Session {
  /** @param {SessionOptions} options */
  constructor({id, window, room, datagramBytes, isBatching, now, transmit, onMessage, onEnd, wakeAt}) {
    this.id = id;
    this.datagramBytes = datagramBytes;
    this.now = now;
    this.send = transmit;
    this.onEnd = onEnd;
    this.wakeAt = wakeAt;
    const first = firstSequenceOf(id);
    const reader = new MessageReader((request, payload) => onMessage(request, payload, this));
    this.incoming = new Incoming({first, window, onContent: (content) => reader.read(content)});
    this.outgoing = new Outgoing({
      ...{first, window, room, datagramBytes, isBatching},
      transmit: (datagram, length, sequence) => this.#transmit(datagram, length, sequence),
    });
    this.acknowledgeEvery = Math.max(1, Math.min(acknowledgeEvery, window >> 2));
    /** How many datagrams arrived and were not acknowledged. */
    this.owed = 0;
    this.acknowledgeAt = Number.POSITIVE_INFINITY;
    this.acknowledgement = Buffer.alloc(headerBytes);
    this.heardAt = now();
    this.isOver = false;
    this.changes = new Changes();
  }

  /** @param {number} id @param {Buffer} payload @returns {boolean} false: wait for `drained` before the next */
  write(id, payload) {
    if (this.isOver) return false;
    const hasRoom = this.outgoing.write(id, payload, this.now());
    this.wakeAt(this.deadline);
    return hasRoom;
  }

  /** Sends the datagram that is being filled. */
  flush() {
    this.outgoing.flush(this.now());
    this.wakeAt(this.deadline);
  }

  /** Sends a keep-alive request if nothing arrived from the other end for `quietMs`. @param {number} quietMs */
  probe(quietMs) {
    const now = this.now();
    if (this.isOver || now - this.heardAt < quietMs) return;
    this.outgoing.probe(now);
    this.wakeAt(this.deadline);
  }

  /** Resolves when all messages are in datagrams, or when the session has ended. */
  async drained() {
    while (!this.isOver && !this.outgoing.isEmpty) await this.changes.next();
  }

  /** Resolves when all messages were acknowledged, or when the session has ended. */
  async flushed() {
    this.flush();
    while (!this.isOver && !this.outgoing.isDone) await this.changes.next();
  }

  /** Stops handing over messages. This end still accepts datagrams until its window is full. */
  pause() {
    this.incoming.isPaused = true;
  }

  resume() {
    this.incoming.isPaused = false;
    this.#handOver();
    if (!this.isOver) this.#acknowledge();
  }

  /** The time of the next `tick`. */
  get deadline() {
    return Math.min(this.acknowledgeAt, this.outgoing.deadline);
  }

  /** @param {Header} header of this session @param {Buffer} datagram */
  receive(header, datagram) {
    if (this.isOver) return;
    if (header.kind === kinds.bye)
      return this.#end(lost('The other end closed the UDP session, or does not know it.'));
    const isData = header.kind === kinds.data;
    if (!isData && header.kind !== kinds.acknowledgement) return;
    // The number and the size of datagrams bound the memory for early datagrams.
    if (datagram.length > this.datagramBytes) return;
    const {outgoing} = this;
    const now = this.now();
    this.heardAt = now;
    outgoing.acknowledge(header.acknowledged, header.room, isData ? 0 : header.sequence, now);
    if (isData) this.#takeData(header.sequence, datagram.subarray(headerBytes), now);
    if (this.changes.isAwaited && outgoing.isEmpty) this.changes.announce();
    this.wakeAt(this.deadline);
  }

  /** Retransmits and acknowledges what is due, and ends the session if the other end is silent. */
  tick() {
    if (this.isOver) return;
    const {outgoing} = this;
    const now = this.now();
    if (now >= this.acknowledgeAt) this.#acknowledge();
    if (now >= outgoing.deadline && this.#isSilent(now)) {
      this.#sayGoodbye();
      return this.#end(lost(`The other end did not acknowledge for ${inactivityMs / 1000} s.`));
    }
    outgoing.tick(now);
    this.wakeAt(this.deadline);
  }

  /** Ends the session, and sends one bye. If the bye is lost, the other end notices the end itself. */
  close() {
    if (this.isOver) return;
    this.#sayGoodbye();
    this.#finish();
  }

  /** @param {Error} error of the socket */
  fail(error) {
    this.#end(lost(`The UDP session failed: ${error.message}.`, error));
  }

  /**
   * Whether nothing arrived for the inactivity bound since the last datagram and since the oldest unacknowledged datagram was sent.
   * @param {number} now
   */
  #isSilent(now) {
    const {timeouts, sentAtMs, acknowledged, mask} = this.outgoing;
    return (
      timeouts >= minTimeouts && now - Math.max(this.heardAt, sentAtMs[acknowledged & mask]) >= inactivityMs
    );
  }

  /** @param {number} sequence @param {Buffer} content @param {number} now */
  #takeData(sequence, content, now) {
    const isPlain = this.incoming.accept(sequence, content);
    this.owed += 1;
    if (this.acknowledgeAt === Number.POSITIVE_INFINITY) this.acknowledgeAt = now + acknowledgeWithinMs;
    // A reply that is sent meanwhile also acknowledges the datagram.
    this.#handOver();
    if (!this.isOver && (!isPlain || this.owed >= this.acknowledgeEvery)) this.#acknowledge();
  }

  #handOver() {
    try {
      this.incoming.handOver();
    } catch (error) {
      // Invalid data of a client must not end the server.
      this.#sayGoodbye();
      this.#end(/** @type {Error} */ (error));
    }
  }

  /** @param {Buffer} datagram @param {number} length @param {number} sequence */
  #transmit(datagram, length, sequence) {
    this.#stamp(datagram, kinds.data, sequence);
    this.send(datagram, length);
  }

  #acknowledge() {
    this.#stamp(this.acknowledgement, kinds.acknowledgement, this.incoming.early);
    this.send(this.acknowledgement, headerBytes);
  }

  /** Writes the header. Every datagram acknowledges what has arrived. @param {Buffer} datagram @param {number} kind @param {number} sequence */
  #stamp(datagram, kind, sequence) {
    const {room, next} = this.incoming;
    writeHeader(datagram, {kind, room, session: this.id, sequence, acknowledged: next});
    this.owed = 0;
    this.acknowledgeAt = Number.POSITIVE_INFINITY;
  }

  #sayGoodbye() {
    this.send(makeDatagram({kind: kinds.bye, session: this.id}), headerBytes);
  }

  /** @param {Error} error */
  #end(error) {
    if (this.isOver) return;
    this.#finish();
    this.onEnd(error);
  }

  #finish() {
    this.isOver = true;
    this.outgoing.end();
    this.acknowledgeAt = Number.POSITIVE_INFINITY;
    this.changes.announce();
  }
}

/** @param {string} message @param {unknown} [cause] */
function lost(message, cause) {
  return new RunError(message, {code: 'PB_CONNECTION_LOST', cause});
}

/** The receiving half of a session, which orders datagrams, drops duplicates, and keeps at most one window of datagrams. */
class Incoming {
  /** @param {{first: number, window: number, onContent: (content: Buffer) => void}} options window: a power of two */
  constructor({first, window, onContent}) {
    this.onContent = onContent;
    this.window = window;
    this.mask = window - 1;
    /** The number of the next datagram that has not arrived. */
    this.next = first;
    /** The number of the next datagram to hand over. */
    this.handed = first;
    /** Datagrams that arrived and were not handed over, by number. @type {(Buffer | null)[]} */
    this.slots = new Array(window).fill(null);
    /** How many datagrams arrived before an earlier one. */
    this.early = 0;
    this.isPaused = false;
  }

  /** How many datagrams from `next` on this end can keep. */
  get room() {
    return this.window - distance(this.next, this.handed);
  }

  /**
   * @param {number} sequence @param {Buffer} content
   * @returns {boolean} whether the datagram was the next one, and no later datagram had arrived. Otherwise, the sender needs an immediate
   *   acknowledgement (RFC 5681, section 4.2)
   */
  accept(sequence, content) {
    const {slots, mask} = this;
    const ahead = distance(sequence, this.next);
    const isRepeated = ahead < 0 || slots[sequence & mask] !== null;
    if (isRepeated || distance(sequence, this.handed) >= this.window) return false;
    slots[sequence & mask] = content;
    if (ahead > 0) {
      this.early += 1;
      return false;
    }
    this.next = (this.next + 1) >>> 0;
    const isPlain = this.early === 0;
    while (this.early > 0 && slots[this.next & mask] !== null) {
      this.early -= 1;
      this.next = (this.next + 1) >>> 0;
    }
    return isPlain;
  }

  /** Hands over the ordered datagrams, unless paused. @throws what `onContent` throws */
  handOver() {
    while (this.handed !== this.next && !this.isPaused) {
      const slot = this.handed & this.mask;
      const content = /** @type {Buffer} */ (this.slots[slot]);
      this.slots[slot] = null;
      this.handed = (this.handed + 1) >>> 0;
      this.onContent(content);
    }
  }
}
