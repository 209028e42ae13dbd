/**
 * The messages of battle.proto in the encoding of protocol buffers (https://protobuf.dev/programming-guides/encoding). A message with one
 * field of bytes consists of the tag, the length and the bytes, so it needs no compiler. The bytes are copied once when a message is
 * written, and never when it is read.
 */

/** Field 1 with a length. */
const dataTag = (1 << 3) | 2;
/** Field 1 with a variable-length integer. */
const countTag = (1 << 3) | 0;
const wireTypes = {varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5};

/** @type {Buffer} */
const empty = Buffer.alloc(0);

/** Maximum size of a message without its payload. */
export const maxMessageOverhead = 1 + 5;

/** @param {Buffer} data @returns {Buffer} a message Payload */
export function encodePayload(data) {
  const {length} = data;
  if (length === 0) return empty;
  const headerBytes = 1 + varintBytes(length);
  const message = Buffer.allocUnsafe(headerBytes + length);
  message[0] = dataTag;
  writeVarint(message, 1, length);
  data.copy(message, headerBytes);
  return message;
}

/**
 * @param {Buffer} message Payload, possibly with unknown fields
 * @returns {Buffer} its bytes, which are not copied
 * @throws {RangeError} when it is not a message
 */
export function decodePayload(message) {
  if (message[0] === dataTag) {
    const begin = 1 + varintBytesAt(message, 1);
    if (begin + readVarint(message, 1) === message.length) return message.subarray(begin);
  }
  let data = empty;
  for (const {tag, from, to} of fieldsOf(message)) if (tag === dataTag) data = message.subarray(from, to);
  return data;
}

/**
 * Serializes messages of a stream that are already encoded. The library would encode a message only after sending the earlier ones, and the
 * caller may reuse the payload before.
 * @param {Buffer} message
 */
export const asEncoded = (message) => message;

/** @param {number} count @returns {Buffer} a message Received */
export function encodeReceived(count) {
  if (count === 0) return empty;
  const message = Buffer.allocUnsafe(1 + varintBytes(count));
  message[0] = countTag;
  writeVarint(message, 1, count);
  return message;
}

/** @param {Buffer} message Received @throws {RangeError} when it is not a message */
export function decodeReceived(message) {
  let count = 0;
  for (const {tag, value} of fieldsOf(message)) if (tag === countTag) count = value;
  return count;
}

/**
 * @param {Buffer} message
 * @returns {Generator<{tag: number, value: number, from: number, to: number}>} value: of an integer field; from, to: the position of a field's bytes
 */
function* fieldsOf(message) {
  let at = 0;
  while (at < message.length) {
    const tag = readVarint(message, at);
    at += varintBytesAt(message, at);
    const from = at;
    let value = 0;
    let begin = from;
    switch (tag % 8) {
      case wireTypes.varint:
        value = readVarint(message, at);
        at += varintBytesAt(message, at);
        break;
      case wireTypes.lengthDelimited:
        begin = at + varintBytesAt(message, at);
        at = begin + readVarint(message, at);
        break;
      case wireTypes.fixed64:
        at += 8;
        break;
      case wireTypes.fixed32:
        at += 4;
        break;
      default:
        throw new RangeError(`The message has a field of the unknown type ${tag % 8}.`);
    }
    if (at > message.length) throw new RangeError('The message ends within a field.');
    yield {tag, value, from: begin, to: at};
  }
}

/** @param {number} value */
function varintBytes(value) {
  let bytes = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes += 1;
  return bytes;
}

/** @param {Buffer} message @param {number} at @param {number} value */
function writeVarint(message, at, value) {
  let rest = value;
  let index = at;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    message[index] = (rest % 0x80) | 0x80;
    index += 1;
  }
  message[index] = rest;
}

/** @param {Buffer} message @param {number} at */
function varintBytesAt(message, at) {
  // A varint has at most 64 bits, seven in each byte.
  for (let bytes = 1; bytes <= 10; bytes += 1) {
    const byte = message[at + bytes - 1];
    if (byte === undefined) throw new RangeError('The message ends within a field.');
    if (byte < 0x80) return bytes;
  }
  throw new RangeError('The message has an integer of more than ten bytes.');
}

/** @param {Buffer} message @param {number} at */
function readVarint(message, at) {
  let value = 0;
  for (let index = at + varintBytesAt(message, at) - 1; index >= at; index -= 1)
    value = value * 0x80 + (message[index] & 0x7f);
  return value;
}

/** The paths of the methods of battle.proto. */
export const paths = {
  exchange: '/perfbattle.Battle/Exchange',
  exchangeParts: '/perfbattle.Battle/ExchangeParts',
  converse: '/perfbattle.Battle/Converse',
  send: '/perfbattle.Battle/Send',
};
