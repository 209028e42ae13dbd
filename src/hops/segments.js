/** @import {DwellTimes, Sum} from '../messages.js' */

/**
 * @typedef {object} Segment a TCP segment with data
 * @property {number} atMs since `baseMs`
 * @property {number} fromPort
 * @property {number} toPort
 * @property {number} sequence the number of the first byte, modulo 2 ** 32
 * @property {number} bytes the length of the data
 * @property {Buffer} head the captured part of the data, from its beginning
 */

const fileHeaderBytes = 24;
const recordHeaderBytes = 16;
const inNanoseconds = 0xa1b23c4d;
const linuxCooked = 276;
const linkHeaderBytes = 20;
const ipv4 = 0x0800;
const ipv6 = 0x86dd;
const ipv6HeaderBytes = 40;
const tcp = 6;

/**
 * Reads the output of `tcpdump -w` in chunks: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html, with timestamps
 * in ns, on all interfaces: https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html. Times are relative, because sums of
 * times since 1970 have no digits left for µs.
 */
export class PacketReader {
  #rest = Buffer.alloc(0);
  #isBegun = false;
  /** The second of the first packet, in ms since 1970; null before the first packet. @type {number | null} */
  baseMs = null;

  /**
   * @param {Buffer} chunk
   * @returns {Generator<Segment>} the complete segments, without other packets and packets without data
   * @throws {RangeError} when the capture has another format
   */
  *read(chunk) {
    let bytes = Buffer.concat([this.#rest, chunk]);
    if (!this.#isBegun) {
      if (bytes.length < fileHeaderBytes) {
        this.#rest = bytes;
        return;
      }
      if (bytes.readUInt32LE(0) !== inNanoseconds || bytes.readUInt32LE(20) !== linuxCooked)
        throw new RangeError('This is no capture of all interfaces of Linux with timestamps in ns.');
      this.#isBegun = true;
      bytes = bytes.subarray(fileHeaderBytes);
    }
    let at = 0;
    while (at + recordHeaderBytes <= bytes.length) {
      const next = at + recordHeaderBytes + bytes.readUInt32LE(at + 8);
      if (next > bytes.length) break;
      const seconds = bytes.readUInt32LE(at);
      this.baseMs ??= seconds * 1000;
      const atMs = seconds * 1000 - this.baseMs + bytes.readUInt32LE(at + 4) / 1e6;
      const segment = segmentIn(bytes.subarray(at + recordHeaderBytes, next), atMs);
      if (segment) yield segment;
      at = next;
    }
    this.#rest = bytes.subarray(at);
  }
}

/** @param {Buffer} frame @param {number} atMs @returns {Segment | null} */
function segmentIn(frame, atMs) {
  const packet = packetIn(frame);
  if (!packet) return null;
  const {begin, end} = packet;
  if (frame.length < begin + 20) return null;
  const data = begin + (frame[begin + 12] >> 4) * 4;
  if (end <= data) return null;
  return {
    atMs,
    fromPort: frame.readUInt16BE(begin),
    toPort: frame.readUInt16BE(begin + 2),
    sequence: frame.readUInt32BE(begin + 4),
    bytes: end - data,
    head: frame.subarray(data, Math.min(end, frame.length)),
  };
}

/** The beginning and the end of the TCP segment in a frame, which may be captured in part. @param {Buffer} frame */
function packetIn(frame) {
  if (frame.length < linkHeaderBytes + ipv6HeaderBytes) return null;
  const type = frame.readUInt16BE(0);
  const ip = linkHeaderBytes;
  if (type === ipv4 && frame[ip + 9] === tcp)
    return {begin: ip + (frame[ip] & 0x0f) * 4, end: ip + frame.readUInt16BE(ip + 2)};
  if (type === ipv6 && frame[ip + 6] === tcp)
    return {begin: ip + ipv6HeaderBytes, end: ip + ipv6HeaderBytes + frame.readUInt16BE(ip + 4)};
  return null;
}

/**
 * @typedef {object} Watched
 * @property {ReadonlySet<number>} brokerPorts
 * @property {ReadonlySet<number>} clientPorts the local ports of the clients' connections
 * @property {ReadonlySet<number>} serverPorts the local ports of the servers' connections
 * @property {number} payloadBytes
 * @property {(head: Buffer) => boolean} beginsMessage whether a message begins in these first bytes of a segment
 */

/** Every protocol adds more bytes to a payload, so the last byte of a message is in the segment that reaches this size. */
const addedBytes = 8;

/** Sums the times at which messages passed. One message is in flight on each connection. */
export class DwellSums {
  /** @param {Watched} watched */
  constructor(watched) {
    this.watched = watched;
    /** The missing bytes of a message to the broker, by the port of the sender. @type {Map<number, number>} */
    this.missing = new Map();
    /** @type {DwellTimes} */
    this.dwellTimes = {requestIn: none(), requestOut: none(), replyIn: none(), replyOut: none()};
  }

  /** @param {Omit<Segment, 'sequence'>} segment the next segment of a connection, without repeated bytes */
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

function none() {
  return {messages: 0, atMs: 0};
}

/** @param {Sum} sum @param {number} atMs */
function count(sum, atMs) {
  sum.messages += 1;
  sum.atMs += atMs;
}

/**
 * @typedef {object} Direction one direction of a connection
 * @property {number} next the sequence number of the next byte
 * @property {Segment[]} waiting segments after a gap
 */

/** A window has fewer segments, so with more of them the missing segment was lost by the capture. */
const maxWaiting = 256;

/**
 * Puts the segments of each connection in order, with each byte once. A sender that waits for an acknowledgement repeats
 * segments, even over the loopback interface of a busy host: see RFC 8985, section 7.
 */
export class InOrder {
  /** The directions, by the ports of sender and receiver. @type {Map<string, Direction>} */
  #directions = new Map();

  /**
   * @param {Segment} segment
   * @returns {Generator<Segment>} the segments that are complete now, with the time of this segment; none for repeated bytes
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

/** @param {Direction} direction */
function takeReady({next, waiting}) {
  const index = waiting.findIndex(({sequence}) => bytesBetween(sequence, next) >= 0);
  return index === -1 ? null : waiting.splice(index, 1)[0];
}

/** Sequence numbers wrap around after 32 bits. @param {number} from @param {number} to @returns {number} negative if `to` is before `from` */
function bytesBetween(from, to) {
  return (to - from) | 0;
}
