import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * The header that every datagram begins with, in network byte order:
 *
 * | Bytes | Content |
 * | --- | --- |
 * | 0 | a constant, which distinguishes these datagrams from others |
 * | 1 | the kind |
 * | 2–3 | room: how many datagrams from `acknowledged` on the sender of this one can take |
 * | 4–9 | the session: a random number that the client draws |
 * | 10–13 | sequence: the number of this datagram; of an acknowledgement, how many datagrams have arrived after a missing one |
 * | 14–17 | acknowledged: the number of the next datagram that its sender expects, so that all before it have arrived |
 *
 * After it, a datagram of data has messages or parts of them (messages.js). Hello and welcome are padded to the maximum size of a datagram, which
 * shows that the path carries it. The first datagram of each direction has the number that `firstSequenceOf` gives.
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

/** What every IPv4 network carries (RFC 791), and enough for a message in each datagram. */
export const minDatagramBytes = 576;
/** What one datagram over IPv4 can carry: 65,535 bytes less the headers of IPv4 and UDP. */
export const maxDatagramBytes = 65_507;

const mark = 0xb7;

/** hello and welcome open a session; an acknowledgement has no data; bye: the session ended, or is not known. */
export const kinds = /** @type {const} */ ({hello: 1, welcome: 2, data: 3, acknowledgement: 4, bye: 5});

const lastKind = kinds.bye;

/** Sessions are numbers below this one: six random bytes are exact as a JavaScript number. */
export const sessionBytes = 6;

/**
 * @param {Buffer} datagram
 * @param {Header} header
 */
export function writeHeader(datagram, {kind, room, session, sequence, acknowledged}) {
  datagram[0] = mark;
  datagram[1] = kind;
  datagram.writeUInt16BE(room, 2);
  datagram.writeUIntBE(session, 4, sessionBytes);
  datagram.writeUInt32BE(sequence, 10);
  datagram.writeUInt32BE(acknowledged, 14);
}

/**
 * @param {Buffer} datagram of anybody
 * @returns {Header | null} null: not one of ours
 */
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
 * A datagram of a kind that has no number, such as hello and bye.
 * @param {Pick<Header, 'kind' | 'session'> & {room?: number}} header
 * @param {number} [bytes] its size, with padding
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
 * By how much one sequence number is ahead of another. They continue with 0 after 2^32 - 1 (RFC 1982).
 * @param {number} one
 * @param {number} other
 */
export function distance(one, other) {
  return (one - other) | 0;
}

/**
 * The content of the datagrams of data, in their order: messages, each with its length and the id of its request, 4 bytes each. A message
 * continues in the next datagrams if it does not fit. Its header is never split.
 */
export const messageHeaderBytes = 8;

/** The id of a message that expects no reply. */
export const noReply = 0;

/** So much memory is reserved for a message when it begins. For a longer one it grows with what has arrived. */
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
   * @throws {RunError} PB_FRAME_TOO_LONG for a message longer than any payload can be, or a header that is not whole
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
