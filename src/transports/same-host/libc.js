import {closeSync, constants, openSync, readlinkSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {requireOptional} from '../../packages/load.js';
import {refuseOtherSystems} from './meeting.js';

/** @import Koffi from 'koffi' */

/**
 * The functions of the C library that transports within one host call, with the names and parameters of their manual pages. Memory is
 * passed as a typed array or as an address.
 *
 * @typedef {Uint8Array | Uint32Array | BigInt64Array} Memory
 *
 * @typedef {object} Libc
 * @property {(name: string, flags: number, mode: number, attributes: Memory) => number} mq_open
 * @property {(name: string) => number} mq_unlink
 * @property {(queue: number, message: Memory, bytes: number, priority: number, deadline: Memory) => number} mq_timedsend
 * @property {(queue: number, message: Memory, bytes: number, priority: null, deadline: Memory) => number} mq_timedreceive
 * @property {(name: string, flags: number) => number} memfd_create
 * @property {(file: number, bytes: number) => number} ftruncate
 * @property {(address: null, bytes: number, protection: number, flags: number, file: number, offset: number) => bigint} mmap
 * @property {(address: bigint, bytes: number) => number} munmap
 * @property {(semaphore: bigint, isShared: number, value: number) => number} sem_init
 * @property {(semaphore: bigint) => number} sem_post
 * @property {(semaphore: bigint, deadline: Memory) => number} sem_timedwait
 * @property {() => number} errno of the last call
 * @property {(address: bigint, bytes: number) => ArrayBuffer} view returns the bytes at an address without copying them
 */

const declarations = [
  'int mq_open(const char *name, int flags, uint32_t mode, void *attributes)',
  'int mq_unlink(const char *name)',
  'int mq_timedsend(int queue, void *message, size_t bytes, uint32_t priority, void *deadline)',
  'int64_t mq_timedreceive(int queue, void *message, size_t bytes, void *priority, void *deadline)',
  'int memfd_create(const char *name, uint32_t flags)',
  'int ftruncate(int file, int64_t bytes)',
  'void *mmap(void *address, size_t bytes, int protection, int flags, int file, int64_t offset)',
  'int munmap(void *address, size_t bytes)',
  'int sem_init(void *semaphore, int isShared, uint32_t value)',
  'int sem_post(void *semaphore)',
  'int sem_timedwait(void *semaphore, void *deadline)',
];

/** The Linux error numbers after which a call may be repeated: EINTR, EAGAIN and ETIMEDOUT. */
export const notNow = new Set([4, 11, 110]);

/**
 * @param {string} label of the transport
 * @returns {Promise<Libc>}
 * @throws {RunError} PB_NO_LIBC on systems other than Linux
 * @throws {UnavailableError} PB_NOT_INSTALLED without koffi
 */
export async function loadLibc(label) {
  refuseOtherSystems(label);
  /** @type {typeof Koffi} */
  const koffi = requireOptional('koffi', {by: label, install: 'koffi'});
  const functions = declarations.map((declaration) => {
    const name = /\*?(\w+)\(/.exec(declaration)?.[1] ?? '';
    return [name, functionOf(koffi, declaration, label)];
  });
  return {...Object.fromEntries(functions), errno: koffi.errno, view: koffi.view};
}

/**
 * Declares a function of the C library. Before glibc 2.34, message queues are in the separate library librt, which Node.js does not load.
 * @param {typeof Koffi} koffi @param {string} declaration
 * @param {string} label of the transport
 */
function functionOf(koffi, declaration, label) {
  try {
    return koffi.load(null).func(declaration);
  } catch {
    try {
      return koffi.load('librt.so.1').func(declaration);
    } catch (error) {
      throw cannotCall(`${label} cannot call the C library here: ${/** @type {Error} */ (error).message}.`);
    }
  }
}

/** @param {string} message */
function cannotCall(message) {
  return new RunError(message, {code: 'PB_NO_LIBC'});
}

/**
 * @param {Libc} libc
 * @param {number} result of a call; negative: the call failed
 * @param {string} what the beginning of the error message
 * @returns {number} the result
 * @throws {RunError}
 */
export function orThrow(libc, result, what) {
  if (result >= 0) return result;
  throw new RunError(`${what}: error ${libc.errno()} of the system (see errno -l).`);
}

/**
 * Opens a file of another process, which needs no name. The other process may send the number of any of its files. So only files of the
 * expected kind are opened, and opening never changes them.
 * @param {number} pid @param {number} file
 * @param {RegExp} kind the expected target of the link in /proc
 * @throws {RunError} PB_NO_CONNECTION
 */
export function openOf(pid, file, kind) {
  const path = `/proc/${pid}/fd/${file}`;
  try {
    refuseOther(path, kind);
    const opened = openSync(path, constants.O_RDWR);
    try {
      refuseOther(`/proc/self/fd/${opened}`, kind);
    } catch (error) {
      closeSync(opened);
      throw error;
    }
    return opened;
  } catch (cause) {
    const {code, message} = /** @type {NodeJS.ErrnoException} */ (cause);
    const why = code === 'PB_NO_CONNECTION' ? message : `${code}; both must run as the same user`;
    throw new RunError(`The memory or queue of process ${pid} cannot be opened: ${why}.`, {
      code: 'PB_NO_CONNECTION',
      cause,
    });
  }
}

/** @param {string} path @param {RegExp} kind */
function refuseOther(path, kind) {
  if (!kind.test(readlinkSync(path))) throw new RunError('it is something else', {code: 'PB_NO_CONNECTION'});
}

/** The deadline of calls that must not wait. */
export const past = new Uint32Array(4);

/** A time of the system clock in the format of the C library: seconds and nanoseconds, as 64-bit integers. */
export class Deadline {
  constructor() {
    this.timespec = new Uint32Array(4);
  }

  /** @param {number} milliseconds from now @returns {Uint32Array} */
  in(milliseconds) {
    const at = Date.now() + milliseconds;
    this.timespec[0] = Math.floor(at / 1000);
    this.timespec[2] = (at % 1000) * 1e6;
    return this.timespec;
  }
}
