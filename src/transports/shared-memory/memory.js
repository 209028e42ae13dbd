import {closeSync, fstatSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {Deadline, openOf, orThrow} from '../same-host/libc.js';

/** @import {Libc} from '../same-host/libc.js' */

/** Of memfd_create(2) and mmap(2) on Linux. */
const closeOnExec = 1;
const readAndWrite = 0x1 | 0x2;
const isShared = 0x1;

/** What /proc shows of such a file. */
const ownMemory = /^\/memfd:perf-battle \(deleted\)$/;
/** What mmap(2) returns when it fails: −1 as an address. */
const failedMap = 2n ** 64n - 1n;

/** Memory that processes share, by a file that has no name. */
export class Memory {
  /** @param {Libc} libc @param {number} size @returns {Memory} */
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

  /** @param {Libc} libc @param {number} pid @param {number} file of that process @param {number} size @returns {Memory} */
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

/** Wakes a process that waits. */
export class Doorbell {
  /** @param {Libc} libc @param {Memory} memory */
  constructor(libc, memory) {
    this.libc = libc;
    this.memory = memory;
    /** The first: whether the process waits. */
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

  /** @param {number} milliseconds at most @param {() => boolean} isReady whether there is nothing to wait for */
  wait(milliseconds, isReady) {
    // The flag is set before the memory is read. The writer writes before it reads the flag, so one of the two always notices the other.
    Atomics.store(this.words, 0, 1);
    if (!isReady()) this.libc.sem_timedwait(this.semaphore, this.deadline.in(milliseconds));
    Atomics.store(this.words, 0, 0);
  }
}
