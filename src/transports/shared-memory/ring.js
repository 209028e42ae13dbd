import {frameHeaderBytes} from '../tcp/frames.js';
import {Memory} from './memory.js';

/**
 * @import {Libc} from '../same-host/libc.js'
 */

const pageBytes = 4096;
/** Holds a payload of the default sizes whole. A power of two, because positions count on and wrap at 2³². */
export const ringBytes = 2 ** 20;

/** The words of a ring's first page, on cache lines of their own. Positions count the bytes since the start. */
const word = {read: 0, written: 16, wantsRoom: 32};

/** A ring of bytes in shared memory, with one writer and one reader. */
export class Ring {
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

  /** @returns {number} bytes that were written and not read */
  filled() {
    return (Atomics.load(this.words, word.written) - Atomics.load(this.words, word.read)) | 0;
  }

  /** @param {number} bytes @returns {boolean} whether the writer may write that many now; if not, the reader is asked to say when it has read */
  hasRoom(bytes) {
    if (this.#isFree(bytes)) return true;
    // Room is requested before the position is read again. The reader moves on before it reads the request, so one of the two always notices the other.
    Atomics.store(this.words, word.wantsRoom, 1);
    return this.#isFree(bytes);
  }

  /** @returns {boolean} whether the writer waits for what was read */
  takeRoomRequest() {
    return Atomics.exchange(this.words, word.wantsRoom, 0) === 1;
  }

  /** @param {number | null} header @param {Buffer} payload @param {number} from @param {number} to there must be room */
  write(header, payload, from, to) {
    const {words, data} = this;
    let at = Atomics.load(words, word.written);
    if (header !== null) {
      // Bytes one by one, because the end of the ring may be among them.
      for (let shift = 8 * (frameHeaderBytes - 1); shift >= 0; shift -= 8, at += 1)
        data[at & (ringBytes - 1)] = header >>> shift;
    }
    const begin = at & (ringBytes - 1);
    const copied = payload.copy(data, begin, from, Math.min(to, from + ringBytes - begin));
    payload.copy(data, 0, from + copied, to);
    Atomics.store(words, word.written, (at + to - from) | 0);
  }

  /** @param {number} count at most those that are there @returns {Buffer} the first of them that lie in one piece, where they are */
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
