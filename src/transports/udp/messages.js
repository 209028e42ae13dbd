import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

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
