import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * The header of every datagram, in network byte order:
 *
 * | Bytes | Content |
 * | --- | --- |
 * | 0 | a constant, which distinguishes perf-battle datagrams from others |
 * | 1 | the kind |
 * | 2–3 | room: how many datagrams from `acknowledged` on the sender can accept |
 * | 4–9 | the session: a random number from the client |
 * | 10–13 | sequence: the number of this datagram; in an acknowledgement, how many datagrams have arrived after a missing one |
 * | 14–17 | acknowledged: the number of the next datagram that the sender expects; all earlier datagrams have arrived |
 *
 * After the header, a data datagram has messages or parts of messages. Hello and welcome are padded to the maximum datagram size, which
 * shows that the path carries datagrams of this size. `firstSequenceOf` returns the number of the first datagram of each direction.
 */

/**
 * @typedef {object} Header
 * @property {number} kind
 * @property {number} room
 * @property {number} session
 * @property {number} sequence
 * @property {number} acknowledged
 */

export const headerBytes = 18;

/** The size that every IPv4 host accepts (RFC 791). Each datagram then has room for a message. */
export const minDatagramBytes = 576;
/** The maximum over IPv4: 65,535 bytes less the headers of IPv4 and UDP. */
export const maxDatagramBytes = 65_507;

const mark = 0xb7;

/** hello and welcome open a session; an acknowledgement has no data; bye: the session has ended, or is unknown. */
export const kinds = /** @type {const} */ ({hello: 1, welcome: 2, data: 3, acknowledgement: 4, bye: 5});

const lastKind = kinds.bye;

/** The size of a session number: six bytes are exact as a JavaScript number. */
export const sessionBytes = 6;

/** @param {Buffer} datagram @param {Header} header */
export function writeHeader(datagram, {kind, room, session, sequence, acknowledged}) {
  datagram[0] = mark;
  datagram[1] = kind;
  datagram.writeUInt16BE(room, 2);
  datagram.writeUIntBE(session, 4, sessionBytes);
  datagram.writeUInt32BE(sequence, 10);
  datagram.writeUInt32BE(acknowledged, 14);
}

/** @param {Buffer} datagram from any sender @returns {Header | null} null: not a datagram of perf-battle */
export function readHeader(datagram) {
  if (datagram.length < headerBytes || datagram[0] !== mark) return null;
  const kind = datagram[1];
  if (kind < kinds.hello || kind > lastKind) return null;
  return {
    kind,
    room: datagram.readUInt16BE(2),
    session: datagram.readUIntBE(4, sessionBytes),
    sequence: datagram.readUInt32BE(10),
    acknowledged: datagram.readUInt32BE(14),
  };
}

/**
 * Makes a datagram without a sequence number, such as hello and bye.
 * @param {Pick<Header, 'kind' | 'session'> & {room?: number}} header
 * @param {number} [bytes] the size, with padding
 */
export function makeDatagram({kind, session, room = 0}, bytes = headerBytes) {
  const datagram = Buffer.alloc(Math.max(bytes, headerBytes));
  const first = firstSequenceOf(session);
  writeHeader(datagram, {kind, room, session, sequence: 0, acknowledged: first});
  return datagram;
}

/** @param {number} session @returns {number} of 32 bits */
export function firstSequenceOf(session) {
  return session >>> 0;
}

/**
 * Returns by how much one sequence number is ahead of another. Numbers continue with 0 after 2^32 - 1 (RFC 1982).
 * @param {number} one @param {number} other
 */
export function distance(one, other) {
  return (one - other) | 0;
}

/**
 * Data datagrams contain messages in order. Each message has a header with its length and the id of its request, 4 bytes each. A message
 * that does not fit continues in the next datagrams. A header is never split.
 */
export const messageHeaderBytes = 8;

/** The id of a message that expects no reply. */
export const noReply = 0;

/** The memory that is reserved when a message begins. For a longer message, the memory grows with the bytes that arrive. */
const reservedBytes = 1024 * 1024;

/** Reassembles messages. */
export class MessageReader {
  /** @param {(id: number, payload: Buffer) => void} onMessage */
  constructor(onMessage) {
    this.onMessage = onMessage;
    /** The message being filled. @type {Buffer | null} */
    this.payload = null;
    this.length = 0;
    this.filled = 0;
    this.id = 0;
  }

  /**
   * @param {Buffer} content of the next datagram
   * @throws {RunError} PB_FRAME_TOO_LONG for a message above the maximum payload, or an incomplete header
   */
  read(content) {
    let offset = this.payload ? this.#fill(content, 0) : 0;
    while (offset < content.length) {
      if (content.length - offset < messageHeaderBytes) throw malformed('part of a header');
      const length = content.readUInt32BE(offset);
      const id = content.readUInt32BE(offset + 4);
      if (length > maxPayloadBytes)
        throw malformed(`a message of ${length} bytes; at most ${maxPayloadBytes} are allowed`);
      offset += messageHeaderBytes;
      if (content.length - offset >= length) {
        this.onMessage(id, content.subarray(offset, offset + length));
        offset += length;
      } else {
        this.id = id;
        this.length = length;
        this.filled = 0;
        this.payload = Buffer.allocUnsafeSlow(Math.min(length, reservedBytes));
        offset = this.#fill(content, offset);
      }
    }
  }

  /** @param {Buffer} content @param {number} offset @returns {number} the offset after the copied bytes */
  #fill(content, offset) {
    const end = Math.min(content.length, offset + this.length - this.filled);
    const payload = this.#withRoomFor(end - offset);
    content.copy(payload, this.filled, offset, end);
    this.filled += end - offset;
    if (this.filled === this.length) {
      this.payload = null;
      this.onMessage(this.id, payload);
    }
    return end;
  }

  /** @param {number} bytes */
  #withRoomFor(bytes) {
    const payload = /** @type {Buffer} */ (this.payload);
    const needed = this.filled + bytes;
    if (needed <= payload.length) return payload;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.length, Math.max(needed, 2 * payload.length)));
    payload.copy(larger, 0, 0, this.filled);
    this.payload = larger;
    return larger;
  }
}

/** @param {string} what */
function malformed(what) {
  return new RunError(`A datagram has ${what}.`, {code: 'PB_FRAME_TOO_LONG'});
}
