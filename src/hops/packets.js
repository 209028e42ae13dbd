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
