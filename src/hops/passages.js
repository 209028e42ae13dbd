/**
 * @import {Passages, Sum} from '../protocol.js'
 * @import {Segment} from './packets.js'
 *
 * @typedef {object} Watched
 * @property {ReadonlySet<number>} brokerPorts
 * @property {ReadonlySet<number>} clientPorts of the clients' ends of their connections
 * @property {ReadonlySet<number>} serverPorts likewise
 * @property {number} payloadBytes
 * @property {(head: Buffer) => boolean} beginsMessage whether a segment with these first bytes begins a message, or has one after something short
 */

/** What a protocol adds to a payload is more than this, so the last byte of a message is in the segment that reaches this size. */
const addedBytes = 8;

/** Adds up when messages passed. One message is in flight on each connection. */
export class PassageSums {
  /** @param {Watched} watched */
  constructor(watched) {
    this.watched = watched;
    /** Bytes that a message on its way to the broker still has, by the port of the sender. @type {Map<number, number>} */
    this.missing = new Map();
    /** @type {Passages} */
    this.passages = {requestIn: none(), requestOut: none(), replyIn: none(), replyOut: none()};
  }

  /** @param {Omit<Segment, 'sequence'>} segment of a connection the next one, without bytes that passed before */
  add({fromPort, toPort, atMs, bytes, head}) {
    const {brokerPorts, clientPorts, serverPorts, beginsMessage} = this.watched;
    const {requestIn, requestOut, replyIn, replyOut} = this.passages;
    if (brokerPorts.has(toPort)) {
      const sum = clientPorts.has(fromPort) ? requestIn : serverPorts.has(fromPort) ? replyIn : null;
      if (sum) this.#takeIn(sum, {port: fromPort, atMs, bytes, head});
    } else if (brokerPorts.has(fromPort)) {
      const sum = clientPorts.has(toPort) ? replyOut : serverPorts.has(toPort) ? requestOut : null;
      if (sum && beginsMessage(head)) count(sum, atMs);
    }
  }

  /** @param {Sum} sum @param {{port: number, atMs: number, bytes: number, head: Buffer}} segment */
  #takeIn(sum, {port, atMs, bytes, head}) {
    const {payloadBytes, beginsMessage} = this.watched;
    const missing = beginsMessage(head) ? payloadBytes + addedBytes : (this.missing.get(port) ?? 0);
    if (missing > 0 && missing <= bytes) count(sum, atMs);
    this.missing.set(port, Math.max(0, missing - bytes));
  }
}

/** @returns {Sum} */
function none() {
  return {messages: 0, atMs: 0};
}

/** @param {Sum} sum @param {number} atMs */
function count(sum, atMs) {
  sum.messages += 1;
  sum.atMs += atMs;
}
