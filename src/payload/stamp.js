/**
 * What a payload says of itself in its first bytes: which client sent it (2 bytes), the how-many-eth it is (6 bytes), and in an open loop
 * when it was to be sent and when it was (8 bytes each). All big-endian.
 */

/** A payload shorter than this carries no sequence number: it is only counted and compared. */
export const shortestNumberedBytes = 16;
/** A payload shorter than this carries no times. */
export const shortestTimedBytes = 24;

/** Bytes that the sequence number takes. */
export const sequenceBytes = 8;
/** Bytes that sequence number and times take. */
export const timedBytes = 24;

const clientEnd = 2;

/** @param {Buffer} payload @param {number} client @param {number} sequence from 0, below 2^48 */
export function stampSequence(payload, client, sequence) {
  payload.writeUInt16BE(client, 0);
  payload.writeUInt16BE(Math.floor(sequence / 2 ** 32), clientEnd);
  payload.writeUInt32BE(sequence % 2 ** 32, clientEnd + 2);
}

/** A client number that no client has: it marks the closing call of a stream. */
const closing = 0xffff;

/** @returns {Buffer} the request that closes a stream; it is not one of its messages */
export function makeClosingCall() {
  const request = Buffer.alloc(shortestNumberedBytes);
  stampSequence(request, closing, 0);
  return request;
}

/** @param {Buffer} message */
export function isClosingCall(message) {
  return message.length === shortestNumberedBytes && clientOf(message) === closing;
}

/** @param {Buffer} payload @returns {number} */
export function clientOf(payload) {
  return payload.readUInt16BE(0);
}

/**
 * The same for a payload that carries this client's number and an earlier sequence number: below 2^32 only the last four bytes differ.
 * @param {Buffer} payload
 * @param {number} client
 * @param {number} sequence
 */
export function restampSequence(payload, client, sequence) {
  if (sequence >= 2 ** 32) stampSequence(payload, client, sequence);
  else payload.writeUInt32BE(sequence, clientEnd + 2);
}

/** @param {Buffer} payload @returns {number} */
export function sequenceOf(payload) {
  return payload.readUInt16BE(clientEnd) * 2 ** 32 + payload.readUInt32BE(clientEnd + 2);
}

/** @param {Buffer} payload @param {number} intendedMs of the clock that both ends share @param {number} sentMs */
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
