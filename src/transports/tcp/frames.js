import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/** @import {Socket} from 'node:net' */

/** The size of the payload length at the beginning of a frame. */
export const frameHeaderBytes = 4;

/**
 * Reassembles the frames of a byte stream. A frame that arrives in one chunk is not copied. A frame that arrives in several chunks is
 * copied once, into its own buffer.
 */
export class FrameReader {
  /** @param {(payload: Buffer) => void} onFrame */
  constructor(onFrame) {
    this.onFrame = onFrame;
    /** @type {Buffer} bytes of an incomplete header */
    this.rest = Buffer.alloc(0);
    /** @type {Buffer | null} the payload being filled */
    this.payload = null;
    this.filled = 0;
  }

  /** @param {Buffer} chunk @throws {RunError} PB_FRAME_TOO_LONG for a frame above the maximum payload */
  read(chunk) {
    let offset = 0;
    if (this.payload) offset = this.#fill(this.payload, chunk, 0);
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.rest.length > 0) this.rest = Buffer.alloc(0);
    while (bytes.length - offset >= frameHeaderBytes) {
      const length = bytes.readUInt32BE(offset);
      refuseOversize(length);
      offset += frameHeaderBytes;
      if (bytes.length - offset >= length) {
        this.onFrame(bytes.subarray(offset, offset + length));
        offset += length;
      } else {
        this.filled = 0;
        offset = this.#fill(this.#open(length), bytes, offset);
      }
    }
    if (offset < bytes.length) this.rest = Buffer.from(bytes.subarray(offset));
  }

  /** @param {number} length */
  #open(length) {
    this.payload = Buffer.allocUnsafeSlow(length);
    return this.payload;
  }

  /** @param {Buffer} payload @param {Buffer} chunk @param {number} offset @returns {number} the offset after the copied bytes */
  #fill(payload, chunk, offset) {
    const taken = chunk.copy(payload, this.filled, offset);
    this.filled += taken;
    if (this.filled === payload.length) {
      this.payload = null;
      this.onFrame(payload);
    }
    return offset + taken;
  }
}

/**
 * Reassembles frames from memory that the caller reuses after each call. A payload in that memory is copied; a payload from several parts
 * is a copy already.
 * @param {(payload: Buffer) => void} onFrame
 * @returns {(bytes: Buffer) => void} throws for a frame above the maximum payload
 */
export function readFrames(onFrame) {
  /** @type {ArrayBufferLike | null} */
  let lent = null;
  const frames = new FrameReader((payload) =>
    onFrame(payload.buffer === lent ? Buffer.from(payload) : payload),
  );
  return (bytes) => {
    lent = bytes.buffer;
    frames.read(bytes);
  };
}

/** @param {Socket} socket @param {Buffer} payload @returns {boolean} false when the socket's buffer is full */
export function writeFrame(socket, payload) {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  header.writeUInt32BE(payload.length, 0);
  socket.cork();
  socket.write(header);
  const accepted = socket.write(payload);
  socket.uncork();
  return accepted;
}

/** @param {number} length */
function refuseOversize(length) {
  if (length <= maxPayloadBytes) return;
  throw new RunError(`A frame declares ${length} bytes; at most ${maxPayloadBytes} are allowed.`, {
    code: 'PB_FRAME_TOO_LONG',
  });
}
