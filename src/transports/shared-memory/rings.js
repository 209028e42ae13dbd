import {frameHeaderBytes} from '../tcp/frames.js';
import {Doorbell, Memory} from './memory.js';
import {Ring, ringBytes} from './ring.js';

/**
 * @import {End, Offer, Outbox, Take} from '../same-host/end.js'
 * @import {Libc} from '../same-host/libc.js'
 */

const doorbellBytes = 4096;
/** A reader makes room as it goes, so that the writer of a long payload need not wait for the end of it. */
const maxBytesAtOnce = ringBytes / 4;

/** One end: a ring for each peer, from which it receives, and the doorbell that peers ring. @implements {End} */
export class RingEnd {
  /** @param {Libc} libc */
  constructor(libc) {
    this.libc = libc;
    this.details = {};
    this.doorbell = new Doorbell(libc, Memory.create(libc, doorbellBytes));
    this.doorbell.prepare();
    /** @type {Map<number, Inbox>} */
    this.inboxes = new Map();
    /** Those that are not paused. @type {readonly Inbox[]} */
    this.open = [];
    /** Whose turn it is first. */
    this.turn = 0;
  }

  /** @param {number} peer */
  offer(peer) {
    const inbox = this.#inboxOf(peer);
    const {memory} = this.doorbell;
    return {pid: process.pid, ring: inbox.ring.memory.file, doorbell: memory.file};
  }

  /** @param {Offer} offer @param {{peer: number}} numbers @returns {Outbox} */
  connect({pid, ring, doorbell}, {peer}) {
    const {libc} = this;
    const bell = Memory.open(libc, pid, doorbell, doorbellBytes);
    try {
      const theirs = new Doorbell(libc, bell);
      const outbox = new RingOutbox(Ring.open(libc, pid, ring), theirs, this.doorbell);
      this.#inboxOf(peer).writer = theirs;
      return outbox;
    } catch (error) {
      bell.close();
      throw error;
    }
  }

  /** @param {number} peer @param {boolean} isPaused */
  pause(peer, isPaused) {
    const inbox = this.inboxes.get(peer);
    if (inbox) inbox.isPaused = isPaused;
    this.#findOpen();
  }

  /** @param {number} waitMs @param {Take} take */
  receive(waitMs, take) {
    if (this.#takeNext(take)) return true;
    if (waitMs === 0) return false;
    this.doorbell.wait(waitMs, () => this.#hasAny());
    return this.#takeNext(take);
  }

  /** @param {number} peer */
  forget(peer) {
    this.inboxes.get(peer)?.ring.memory.close();
    this.inboxes.delete(peer);
    this.#findOpen();
  }

  close() {
    for (const peer of [...this.inboxes.keys()]) this.forget(peer);
    this.doorbell.memory.close();
  }

  /** @param {number} peer */
  #inboxOf(peer) {
    const known = this.inboxes.get(peer);
    if (known) return known;
    const inbox = new Inbox(peer, Ring.create(this.libc));
    this.inboxes.set(peer, inbox);
    this.#findOpen();
    return inbox;
  }

  #findOpen() {
    this.open = [...this.inboxes.values()].filter(({isPaused}) => !isPaused);
  }

  /** Peers take turns. @param {Take} take */
  #takeNext(take) {
    const {open} = this;
    for (let offset = 0; offset < open.length; offset += 1) {
      const index = (this.turn + offset) % open.length;
      if (!open[index].take(take)) continue;
      this.turn = index + 1;
      return true;
    }
    return false;
  }

  #hasAny() {
    for (const {ring} of this.open) if (ring.filled() > 0) return true;
    return false;
  }
}

/** What a peer has written. */
class Inbox {
  /** @param {number} peer @param {Ring} ring */
  constructor(peer, ring) {
    this.peer = peer;
    this.ring = ring;
    this.isPaused = false;
    /** The doorbell of the peer. @type {Doorbell | null} */
    this.writer = null;
  }

  /** @param {Take} take @returns {boolean} false: there is nothing */
  take(take) {
    const {ring, peer} = this;
    const filled = ring.filled();
    if (filled === 0) return false;
    const bytes = ring.peek(Math.min(filled, maxBytesAtOnce));
    take(peer, bytes);
    ring.discard(bytes.length);
    if (ring.takeRoomRequest()) this.writer?.ring();
    return true;
  }
}

/** The ring of a peer. @implements {Outbox} */
class RingOutbox {
  /** @param {Ring} ring @param {Doorbell} reader @param {Doorbell} own */
  constructor(ring, reader, own) {
    this.ring = ring;
    this.reader = reader;
    this.own = own;
    this.maxBytes = maxBytesAtOnce;
  }

  /** @param {number | null} header @param {Buffer} payload @param {number} from @param {number} to @param {number} waitMs */
  send(header, payload, from, to, waitMs) {
    const {ring} = this;
    const needed = to - from + (header === null ? 0 : frameHeaderBytes);
    if (!ring.hasRoom(needed)) {
      if (waitMs === 0) return false;
      this.own.wait(waitMs, () => ring.hasRoom(needed));
      if (!ring.hasRoom(needed)) return false;
    }
    ring.write(header, payload, from, to);
    this.reader.ring();
    return true;
  }

  close() {
    this.ring.memory.close();
    this.reader.memory.close();
  }
}
