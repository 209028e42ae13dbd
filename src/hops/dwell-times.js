/**
 * @import {DwellTimes, Sum} from '../protocol.js'
 * @import {Segment} from './packets.js'
 */

/**
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
export class DwellSums {
  /** @param {Watched} watched */
  constructor(watched) {
    this.watched = watched;
    /** Bytes that a message on its way to the broker still has, by the port of the sender. @type {Map<number, number>} */
    this.missing = new Map();
    /** @type {DwellTimes} */
    this.dwellTimes = {requestIn: none(), requestOut: none(), replyIn: none(), replyOut: none()};
  }

  /** @param {Omit<Segment, 'sequence'>} segment of a connection the next one, without bytes that passed before */
  add({fromPort, toPort, atMs, bytes, head}) {
    const {brokerPorts, clientPorts, serverPorts, beginsMessage} = this.watched;
    const {requestIn, requestOut, replyIn, replyOut} = this.dwellTimes;
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

/**
 * @typedef {object} Direction of a connection
 * @property {number} next the sequence number of the first byte that has not passed
 * @property {Segment[]} waiting for bytes before theirs
 */

/** More than a window has, so what is missing never comes: the capture lost it. */
const maxWaiting = 256;

/**
 * Puts the segments of each connection in order, with each byte once. A sender that waits for an acknowledgement sends segments again, also over the
 * loopback interface of a busy host: see RFC 8985, section 7.
 */
export class InOrder {
  /** By the ports of sender and receiver. @type {Map<string, Direction>} */
  #directions = new Map();

  /**
   * @param {Segment} segment
   * @returns {Generator<Segment>} what this one completes, at its time; nothing where its bytes have passed before
   */
  *add(segment) {
    const {fromPort, toPort, sequence, atMs} = segment;
    const key = `${fromPort} ${toPort}`;
    const direction = this.#directions.get(key) ?? {next: sequence, waiting: []};
    this.#directions.set(key, direction);
    direction.waiting.push(segment);
    if (direction.waiting.length > maxWaiting) direction.next = direction.waiting[0].sequence;
    for (let found = takeReady(direction); found; found = takeReady(direction)) {
      const passed = bytesBetween(found.sequence, direction.next);
      const bytes = found.bytes - passed;
      if (bytes <= 0) continue;
      yield {...found, atMs, sequence: direction.next, bytes, head: found.head.subarray(passed)};
      direction.next = (direction.next + bytes) >>> 0;
    }
  }
}

/** @param {Direction} direction @returns {Segment | null} */
function takeReady({next, waiting}) {
  const index = waiting.findIndex(({sequence}) => bytesBetween(sequence, next) >= 0);
  return index === -1 ? null : waiting.splice(index, 1)[0];
}

/** Sequence numbers begin again after 32 bits. @param {number} from @param {number} to @returns {number} negative where `to` is before `from` */
function bytesBetween(from, to) {
  return (to - from) | 0;
}
