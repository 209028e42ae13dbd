/**
 * The stamp in the first bytes of a payload: the number of the client (2 bytes) and the sequence number (6 bytes). In an open
 * loop, the scheduled and the actual send time follow (8 bytes each). All values are big-endian.
 */

/** A shorter payload has no sequence number: the check only counts and compares it. */
export const minNumberedBytes = 16;
/** A shorter payload has no times. */
export const minTimedBytes = 24;

/** The length of client number and sequence number together. */
export const sequenceBytes = 8;
export const timedBytes = 24;

const clientEnd = 2;

/** @param {Buffer} payload @param {number} client @param {number} sequence from 0, below 2^48 */
export function stampSequence(payload, client, sequence) {
  payload.writeUInt16BE(client, 0);
  payload.writeUInt16BE(Math.floor(sequence / 2 ** 32), clientEnd);
  payload.writeUInt32BE(sequence % 2 ** 32, clientEnd + 2);
}

/** The number of no client; it marks the closing call of a stream. */
const closing = 0xffff;

/** @returns {Buffer} the request that closes a stream, which does not count as a message */
export function makeClosingCall() {
  const request = Buffer.alloc(minNumberedBytes);
  stampSequence(request, closing, 0);
  return request;
}

/** @param {Buffer} message */
export function isClosingCall(message) {
  return message.length === minNumberedBytes && clientOf(message) === closing;
}

/** @param {Buffer} payload @returns {number} */
export function clientOf(payload) {
  return payload.readUInt16BE(0);
}

/**
 * A faster stampSequence for a payload that has this client's number and an earlier sequence number: below 2^32 only the last
 * four bytes differ.
 * @param {Buffer} payload @param {number} client @param {number} sequence
 */
export function restampSequence(payload, client, sequence) {
  if (sequence >= 2 ** 32) stampSequence(payload, client, sequence);
  else payload.writeUInt32BE(sequence, clientEnd + 2);
}

/** @param {Buffer} payload @returns {number} */
export function sequenceOf(payload) {
  return payload.readUInt16BE(clientEnd) * 2 ** 32 + payload.readUInt32BE(clientEnd + 2);
}

/** @param {Buffer} payload @param {number} intendedMs by the clock that both sides share @param {number} sentMs */
export function stampTimes(payload, intendedMs, sentMs) {
  payload.writeDoubleBE(intendedMs, sequenceBytes);
  payload.writeDoubleBE(sentMs, sequenceBytes + 8);
}

/** @param {Buffer} payload @returns {number} ms */
export function intendedTimeOf(payload) {
  return payload.readDoubleBE(sequenceBytes);
}

/** @param {Buffer} payload @returns {number} ms */
export function sentTimeOf(payload) {
  return payload.readDoubleBE(sequenceBytes + 8);
}
