import {closeSync, fstatSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {Deadline, openOf, orThrow} from '../same-host/libc.js';
import {frameHeaderBytes} from '../tcp/frames.js';

/**
 * @import {End, Offer, Outbox, Take} from '../same-host/end.js'
 * @import {Libc} from '../same-host/libc.js'
 */

const pageBytes = 4096;
/** Large enough for a whole payload of the default sizes. A power of two, because positions wrap at 2³². */
const ringBytes = 2 ** 20;

/** The indexes of words in a ring's first page, on separate cache lines. Positions count bytes since the start. */
const word = {read: 0, written: 16, wantsRoom: 32};

/** A ring of bytes in shared memory, with one writer and one reader. */
class Ring {
  /** @param {Libc} libc */
  static create(libc) {
    return new Ring(Memory.create(libc, pageBytes + ringBytes));
  }

  /** @param {Libc} libc @param {number} pid @param {number} file of that process */
  static open(libc, pid, file) {
    return new Ring(Memory.open(libc, pid, file, pageBytes + ringBytes));
  }

  /** @param {Memory} memory */
  constructor(memory) {
    this.memory = memory;
    this.words = new Int32Array(memory.bytes, 0, pageBytes / 4);
    this.data = Buffer.from(memory.bytes, pageBytes, ringBytes);
  }

  /** @returns {number} how many bytes were written and not read */
  filled() {
    return (Atomics.load(this.words, word.written) - Atomics.load(this.words, word.read)) | 0;
  }

  /** @param {number} bytes @returns {boolean} whether the writer may write this number of bytes; if not, the reader will ring after it has read */
  hasRoom(bytes) {
    if (this.#isFree(bytes)) return true;
    // The writer requests room before it reads the position again. The reader advances the position before it reads the
    // request. So one of them always notices the other.
    Atomics.store(this.words, word.wantsRoom, 1);
    return this.#isFree(bytes);
  }

  /** @returns {boolean} whether the writer waits for room */
  takeRoomRequest() {
    return Atomics.exchange(this.words, word.wantsRoom, 0) === 1;
  }

  /** @param {number | null} header @param {Buffer} payload @param {number} from @param {number} to room for all bytes is required */
  write(header, payload, from, to) {
    const {words, data} = this;
    let at = Atomics.load(words, word.written);
    if (header !== null) {
      // The header is written byte by byte, because it may wrap at the end of the ring.
      for (let shift = 8 * (frameHeaderBytes - 1); shift >= 0; shift -= 8, at += 1)
        data[at & (ringBytes - 1)] = header >>> shift;
    }
    const begin = at & (ringBytes - 1);
    const copied = payload.copy(data, begin, from, Math.min(to, from + ringBytes - begin));
    payload.copy(data, 0, from + copied, to);
    Atomics.store(words, word.written, (at + to - from) | 0);
  }

  /** @param {number} count at most the filled bytes @returns {Buffer} a view of the first contiguous bytes */
  peek(count) {
    const begin = Atomics.load(this.words, word.read) & (ringBytes - 1);
    return this.data.subarray(begin, Math.min(begin + count, ringBytes));
  }

  /** @param {number} bytes */
  #isFree(bytes) {
    return ringBytes - this.filled() >= bytes;
  }

  /** @param {number} count */
  discard(count) {
    Atomics.store(this.words, word.read, (Atomics.load(this.words, word.read) + count) | 0);
  }
}

const doorbellBytes = 4096;
/** A reader frees room in steps of this size, so that the writer of a long payload can continue early. */
const maxBytesAtOnce = ringBytes / 4;

/** An end with a ring for each peer, from which it receives, and a doorbell that peers ring. @implements {End} */
export class RingEnd {
  /** @param {Libc} libc */
  constructor(libc) {
    this.libc = libc;
    this.details = {};
    this.doorbell = new Doorbell(libc, Memory.create(libc, doorbellBytes));
    this.doorbell.prepare();
    /** @type {Map<number, Inbox>} */
    this.inboxes = new Map();
    /** The inboxes that are not paused. @type {readonly Inbox[]} */
    this.open = [];
    /** The index of the inbox that is read first. */
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

  /** Takes from the next peer in round-robin order. @param {Take} take */
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

/** The ring that one peer writes to. */
class Inbox {
  /** @param {number} peer @param {Ring} ring */
  constructor(peer, ring) {
    this.peer = peer;
    this.ring = ring;
    this.isPaused = false;
    /** The doorbell of the peer. @type {Doorbell | null} */
    this.writer = null;
  }

  /** @param {Take} take @returns {boolean} false: the ring is empty */
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

/** Writes to the ring of a peer. @implements {Outbox} */
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

/** The flags of memfd_create(2) and mmap(2) on Linux. */
const closeOnExec = 1;
const readAndWrite = 0x1 | 0x2;
const isShared = 0x1;

/** The link in /proc of perf-battle's shared memory. */
const ownMemory = /^\/memfd:perf-battle \(deleted\)$/;
/** The result of a failed mmap(2): −1 as an address. */
const failedMap = 2n ** 64n - 1n;

/** Shared memory of a file without a name. */
class Memory {
  /** @param {Libc} libc @param {number} size */
  static create(libc, size) {
    const file = orThrow(
      libc,
      libc.memfd_create('perf-battle', closeOnExec),
      'Shared memory could not be created',
    );
    const result = libc.ftruncate(file, size);
    if (result !== 0) closeSync(file);
    orThrow(libc, result, 'Shared memory could not be enlarged');
    return new Memory(libc, file, size);
  }

  /** @param {Libc} libc @param {number} pid @param {number} file of that process @param {number} size */
  static open(libc, pid, file, size) {
    return new Memory(libc, openOf(pid, file, ownMemory), size);
  }

  /** @param {Libc} libc @param {number} file @param {number} size */
  constructor(libc, file, size) {
    this.libc = libc;
    this.file = file;
    this.size = size;
    this.address =
      fstatSync(file).size < size ? failedMap : libc.mmap(null, size, readAndWrite, isShared, file, 0);
    if (this.address === failedMap) {
      closeSync(file);
      throw new RunError(`Memory of ${size} bytes could not be shared.`, {code: 'PB_NO_CONNECTION'});
    }
    this.bytes = libc.view(this.address, size);
  }

  close() {
    if (this.size === 0) return;
    closeSync(this.file);
    this.libc.munmap(this.address, this.size);
    this.size = 0;
  }
}

/** Wakes a waiting process. */
class Doorbell {
  /** @param {Libc} libc @param {Memory} memory */
  constructor(libc, memory) {
    this.libc = libc;
    this.memory = memory;
    /** The first word: whether the process waits. */
    this.words = new Int32Array(memory.bytes);
    this.semaphore = memory.address + 64n;
    this.deadline = new Deadline();
  }

  prepare() {
    orThrow(this.libc, this.libc.sem_init(this.semaphore, 1, 0), 'A semaphore could not be created');
  }

  ring() {
    if (Atomics.exchange(this.words, 0, 0) === 1) this.libc.sem_post(this.semaphore);
  }

  /** @param {number} milliseconds at most @param {() => boolean} isReady whether no wait is needed */
  wait(milliseconds, isReady) {
    // This process sets the flag before it reads the memory. The writer writes before it reads the flag. So one of them
    // always notices the other.
    Atomics.store(this.words, 0, 1);
    if (!isReady()) this.libc.sem_timedwait(this.semaphore, this.deadline.in(milliseconds));
    Atomics.store(this.words, 0, 0);
  }
}
