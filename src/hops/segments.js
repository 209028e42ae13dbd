/** @import {DwellTimes, Sum} from '../messages.js' */

/**
 * Reads what `tcpdump -w` writes: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcap-04.html, with timestamps in ns, of
 * all interfaces together: https://www.tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html.
 */

/**
 * @typedef {object} Segment of TCP, with data
 * @property {number} atMs since `baseMs`
 * @property {number} fromPort
 * @property {number} toPort
 * @property {number} sequence the number of its first byte, modulo 2 ** 32
 * @property {number} bytes of data
 * @property {Buffer} head its first bytes, as far as they were captured
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

/** Reads a capture piece by piece. Times are kept relative, because sums of points in time since 1970 have no digits left for µs. */
export class PacketReader {
  #rest = Buffer.alloc(0);
  #isBegun = false;
  /** The second in which the first packet was seen, in ms since 1970; null before it. @type {number | null} */
  baseMs = null;

  /**
   * @param {Buffer} chunk
   * @returns {Generator<Segment>} those that are whole by now; packets of other kinds and without data are left out
   * @throws {RangeError} when it is no capture of this format
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

/** Where the TCP segment of a frame begins and ends. The frame may be captured in part. @param {Buffer} frame */
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

/** @param {Direction} direction */
function takeReady({next, waiting}) {
  const index = waiting.findIndex(({sequence}) => bytesBetween(sequence, next) >= 0);
  return index === -1 ? null : waiting.splice(index, 1)[0];
}

/** Sequence numbers begin again after 32 bits. @param {number} from @param {number} to @returns {number} negative where `to` is before `from` */
function bytesBetween(from, to) {
  return (to - from) | 0;
}
