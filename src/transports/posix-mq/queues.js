import {randomBytes} from 'node:crypto';
import {closeSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {Deadline, notNow, openOf, past} from '../same-host/libc.js';
import {frameHeaderBytes} from '../tcp/frames.js';
import {readLimits} from './limits.js';

/**
 * @import {End, Offer, Outbox, Take} from '../same-host/end.js'
 * @import {Libc} from '../same-host/libc.js'
 */

/** The flags of open(2) on Linux: O_RDWR, O_CREAT, O_EXCL and O_CLOEXEC. */
const createAndOpen = 0o2 | 0o100 | 0o200 | 0o2000000;
/** Each message begins with the number of its sender, because all clients of a server share its queue. */
const senderBytes = 4;

/** The link in /proc of a perf-battle queue. */
const ownQueue = /^\/perf-battle-\d+-[\da-f]{8} \(deleted\)$/;

/** An end that receives from its own queue. @implements {End} */
export class QueueEnd {
  /**
   * Creates the queue, as large as the system allows, and removes its name at once. Other processes open the queue through /proc. So
   * nothing remains, however this process ends.
   * @param {Libc} libc
   * @throws {RunError}
   */
  constructor(libc) {
    this.libc = libc;
    const {messages, messageBytes} = readLimits();
    this.details = {queueMessages: messages, queueMessageBytes: messageBytes};
    const name = `/perf-battle-${process.pid}-${randomBytes(4).toString('hex')}`;
    const attributes = BigInt64Array.of(0n, BigInt(messages), BigInt(messageBytes), 0n, 0n, 0n, 0n, 0n);
    this.queue = libc.mq_open(name, createAndOpen, 0o600, attributes);
    if (this.queue < 0) throw cannotCreate(libc.errno(), {messages, messageBytes});
    libc.mq_unlink(name);
    this.message = Buffer.allocUnsafeSlow(messageBytes);
    this.deadline = new Deadline();
    /** @type {Set<number>} */
    this.paused = new Set();
  }

  offer() {
    return {pid: process.pid, queue: this.queue, messageBytes: this.message.length};
  }

  /** @param {Offer} offer @param {{peer: number, own: number}} numbers @returns {Outbox} */
  connect({pid, queue, messageBytes}, {own}) {
    // The two queues may have different limits if an administrator changed the limit.
    const bytes = Math.min(messageBytes, this.message.length);
    if (!(bytes > senderBytes + frameHeaderBytes))
      throw new RunError(`Messages of ${messageBytes} bytes are too short.`, {code: 'PB_NO_CONNECTION'});
    return new QueueOutbox(this.libc, openOf(pid, queue, ownQueue), {own, messageBytes: bytes});
  }

  /** @param {number} waitMs @param {Take} take */
  receive(waitMs, take) {
    const {libc, message} = this;
    if (this.paused.size > 0) return false;
    const deadline = waitMs > 0 ? this.deadline.in(waitMs) : past;
    const length = libc.mq_timedreceive(this.queue, message, message.length, null, deadline);
    if (length < 0) return orNotNow(libc);
    take(message.readUInt32LE(0), message.subarray(senderBytes, length));
    return true;
  }

  /** Pauses the whole queue, because all clients of a server share it. @param {number} peer @param {boolean} isPaused */
  pause(peer, isPaused) {
    if (isPaused) this.paused.add(peer);
    else this.paused.delete(peer);
  }

  /** @param {number} peer */
  forget(peer) {
    this.paused.delete(peer);
  }

  close() {
    if (this.queue < 0) return;
    closeSync(this.queue);
    this.queue = -1;
  }
}

/** Writes to the queue of a peer. @implements {Outbox} */
class QueueOutbox {
  /** @param {Libc} libc @param {number} queue @param {{own: number, messageBytes: number}} settings own: the number of this end at the peer */
  constructor(libc, queue, {own, messageBytes}) {
    this.libc = libc;
    this.queue = queue;
    this.maxBytes = messageBytes - senderBytes;
    this.message = Buffer.allocUnsafeSlow(messageBytes);
    this.message.writeUInt32LE(own, 0);
    this.deadline = new Deadline();
  }

  /** @param {number | null} header @param {Buffer} payload @param {number} from @param {number} to @param {number} waitMs */
  send(header, payload, from, to, waitMs) {
    const {libc, message} = this;
    if (header !== null) message.writeUInt32BE(header, senderBytes);
    const begin = header === null ? senderBytes : senderBytes + frameHeaderBytes;
    payload.copy(message, begin, from, to);
    const deadline = waitMs > 0 ? this.deadline.in(waitMs) : past;
    return libc.mq_timedsend(this.queue, message, begin + to - from, 0, deadline) === 0 || orNotNow(libc);
  }

  close() {
    closeSync(this.queue);
  }
}

/** @param {Libc} libc @returns {false} when the call would have to wait @throws {RunError} for any other reason */
function orNotNow(libc) {
  const error = libc.errno();
  if (notNow.has(error)) return false;
  throw new RunError(`A POSIX message queue failed: error ${error} of the system.`);
}

/** @param {number} error @param {{messages: number, messageBytes: number}} size */
function cannotCreate(error, {messages, messageBytes}) {
  return new RunError(
    `A POSIX message queue of ${messages} messages of ${messageBytes} bytes could not be created: error ${error} of the system. A user's queues take at most the bytes that ulimit -q shows, and each process of a pair has one.`,
    {code: 'PB_NO_LIBC'},
  );
}
