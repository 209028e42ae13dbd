/**
 * How long messages take on an Ethernet link. The link carries one bit after the other, so this is the least that the network adds to the
 * figures of one host. Switches, cables and network cards add more.
 */

/** What one Ethernet frame carries of a message over IPv4 and UDP. */
const mostPerFrame = 1472;
/** IPv4: 20, UDP: 8. */
const packetHeaderBytes = 28;
/** Preamble: 8, header: 14, checksum: 4, gap before the next frame: 12. */
const frameOverheadBytes = 38;
/** A frame with less content is padded. */
const leastContentBytes = 46;

/** Beside the bytes of a message, in each frame. */
export const headerBytes = packetHeaderBytes + frameOverheadBytes;

/**
 * @param {number} payloadBytes of one message over UDP
 * @returns {number} the bytes that it takes on the wire
 */
export function bytesOnWire(payloadBytes) {
  const frames = Math.max(1, Math.ceil(payloadBytes / mostPerFrame));
  const content = Math.max(leastContentBytes, payloadBytes + frames * packetHeaderBytes);
  return content + frames * frameOverheadBytes;
}

/**
 * @param {number} bytes on the wire
 * @param {number} bitsPerSecond
 * @returns {number} in ns
 */
export function wireTimeNs(bytes, bitsPerSecond) {
  return (bytes * 8 * 1e9) / bitsPerSecond;
}
