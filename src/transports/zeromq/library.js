import {setTimeout as sleep} from 'node:timers/promises';
import {requireOptional} from '../../packages/load.js';

/** @import * as Library from 'zeromq' */

/** @type {typeof Library} */
export const library = requireOptional('zeromq', {by: 'ZeroMQ', install: 'zeromq'});

/** The first byte of the first frame. The request number follows. */
export const kinds = {ask: 1, send: 2, count: 3, reply: 4, part: 5};

const headBytes = 5;

/** @param {number} kind @param {number} number of the request, also in its reply */
export function headOf(kind, number) {
  const head = Buffer.allocUnsafe(headBytes);
  head[0] = kind;
  head.writeUInt32BE(number, 1);
  return head;
}

/** @param {Buffer | undefined} head @returns {{kind: number, number: number}} kind 0: not a message of perf-battle */
export function readHead(head) {
  return head?.length === headBytes ? {kind: head[0], number: head.readUInt32BE(1)} : {kind: 0, number: 0};
}

/** A sender waits while more than this number of bytes has not been handed over to the library. */
const highWaterMarkBytes = 64 * 1024;

const retryMs = 1;

/** Hands over messages one after another, because the library refuses a second message while it has no room for the first. */
export class Outbox {
  /** @param {{send: (message: Buffer[]) => Promise<void>}} socket */
  constructor(socket) {
    this.socket = socket;
    /** @type {{message: Buffer[], bytes: number}[]} */
    this.waiting = [];
    this.bytes = 0;
    this.isBusy = false;
    /** @type {(() => void)[]} */
    this.onDrained = [];
  }

  get hasRoom() {
    return this.bytes < highWaterMarkBytes;
  }

  /** @param {Buffer[]} message @returns {boolean} false: wait for `drained` */
  send(message) {
    const bytes = message[message.length - 1].length;
    this.waiting.push({message, bytes});
    this.bytes += bytes;
    if (!this.isBusy) this.#handOver();
    return this.hasRoom;
  }

  /** @returns {Promise<void>} also resolves when the socket is closed */
  drained() {
    if (this.hasRoom) return Promise.resolve();
    return new Promise((resolve) => this.onDrained.push(resolve));
  }

  async #handOver() {
    this.isBusy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      await this.#sendPatiently(next.message);
      this.bytes -= next.bytes;
      if (this.hasRoom) for (const resolve of this.onDrained.splice(0)) resolve();
    }
    this.isBusy = false;
  }

  /** Repeats a refused message: a ROUTER refuses a message while it has no room for this client. @param {Buffer[]} message */
  async #sendPatiently(message) {
    for (;;) {
      try {
        return await this.socket.send(message);
      } catch (error) {
        // A client that has gone gets no more replies, and a closed socket sends nothing.
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EAGAIN') return;
        await sleep(retryMs);
      }
    }
  }
}
