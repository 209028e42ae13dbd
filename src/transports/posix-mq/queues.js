import {randomBytes} from 'node:crypto';
import {closeSync, readFileSync} from 'node:fs';
import {RunError} from '../../errors.js';
import {Deadline, notNow, openOf, past} from '../same-host/libc.js';

/**
 * @import {End, Offer, Outbox, Take} from '../same-host/end.js'
 * @import {Libc} from '../same-host/libc.js'
 */

/** Of open(2) on Linux: O_RDWR, O_CREAT, O_EXCL and O_CLOEXEC. */
const createAndOpen = 0o2 | 0o100 | 0o200 | 0o2000000;
/** Each message begins with the number of its sender, because all clients of a server share its queue. */
const senderBytes = 4;
const headerBytes = 4;

/** One end: a queue of its own, from which it receives. @implements {End} */
export class QueueEnd {
  /**
   * Creates the queue, as large as the system allows, and removes its name at once: other processes open it by way of /proc, and nothing is left
   * however this process ends.
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
  }

  offer() {
    return {pid: process.pid, queue: this.queue};
  }

  /** @param {Offer} offer @param {number} _peer @param {number} own @returns {Outbox} */
  connect({pid, queue}, _peer, own) {
    return new QueueOutbox(this.libc, openOf(pid, queue, 'w'), {
      own,
      messageBytes: this.message.length,
    });
  }

  /** @param {number} waitMs @param {Take} take */
  receive(waitMs, take) {
    const {libc, message} = this;
    const deadline = waitMs > 0 ? this.deadline.in(waitMs) : past;
    const length = libc.mq_timedreceive(this.queue, message, message.length, null, deadline);
    if (length < 0) return orNotNow(libc);
    take(message.readUInt32LE(0), message.subarray(senderBytes, length));
    return true;
  }

  forget() {}

  close() {
    if (this.queue < 0) return;
    closeSync(this.queue);
    this.queue = -1;
  }
}

/** The queue of a peer. @implements {Outbox} */
class QueueOutbox {
  /** @param {Libc} libc @param {number} queue @param {{own: number, messageBytes: number}} settings own: the number of this end there */
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
    const begin = header === null ? senderBytes : senderBytes + headerBytes;
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
  if (Object.values(notNow).includes(error)) return false;
  throw new RunError(`A POSIX message queue failed: error ${error} of the system.`);
}

/** What an unprivileged process may ask for. @returns {{messages: number, messageBytes: number}} */
export function readLimits() {
  const read = (/** @type {string} */ name) => {
    try {
      return Number(readFileSync(`/proc/sys/fs/mqueue/${name}`, 'latin1'));
    } catch (cause) {
      throw new RunError('This kernel has no POSIX message queues: /proc/sys/fs/mqueue is missing.', {
        code: 'PB_NO_LIBC',
        cause,
      });
    }
  };
  return {messages: read('msg_max'), messageBytes: read('msgsize_max')};
}

/** @param {number} error @param {{messages: number, messageBytes: number}} size */
function cannotCreate(error, {messages, messageBytes}) {
  return new RunError(
    `A POSIX message queue of ${messages} messages of ${messageBytes} bytes could not be created: error ${error} of the system. A user's queues take at most the bytes that ulimit -q shows, and each process of a pair has one.`,
    {code: 'PB_NO_LIBC'},
  );
}
