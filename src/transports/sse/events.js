import {RunError} from '../../errors.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * Events of `text/event-stream` (WHATWG HTML, section 9.2), with payloads in base64.
 *
 * @typedef {object} Event
 * @property {string} type default `message`
 * @property {string} id empty: the event has no id
 * @property {string} data
 */

/** The first event has the path for requests, as in the transport HTTP+SSE of MCP. */
export const endpointType = 'endpoint';
/** A part, but not the last, of the reply to the request with the event's id. */
export const partType = 'part';
/** The last part of a reply of several parts. */
export const endType = 'end';

/** @param {string} type @param {string} data */
export function encodeEvent(type, data) {
  return `event: ${type}\ndata: ${data}\n\n`;
}

/** Encodes the whole reply to a request. @param {string} id of the request @param {Buffer} payload */
export function encodeReply(id, payload) {
  return `id: ${id}\ndata: ${payload.toString('base64')}\n\n`;
}

/** @param {typeof partType | typeof endType} type @param {string} id of the request @param {Buffer} payload */
export function encodePart(type, id, payload) {
  return `event: ${type}\n${encodeReply(id, payload)}`;
}

/** The longest valid line: base64 encodes three bytes in four. */
const maxLineBytes = Math.ceil(maxPayloadBytes / 3) * 4 + 100;

const lineFeed = 10;
const carriageReturn = 13;

/** Reassembles the events of a stream. Lines end with LF or CRLF. */
export class EventReader {
  /** @param {(event: Event) => void} onEvent */
  constructor(onEvent) {
    this.onEvent = onEvent;
    /** The parts of a line whose end has not arrived. @type {Buffer[]} */
    this.parts = [];
    this.partBytes = 0;
    this.type = '';
    this.id = '';
    /** @type {string | null} */
    this.data = null;
  }

  /** @param {Buffer} chunk @throws {RunError} PB_FRAME_TOO_LONG */
  read(chunk) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#take(this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts, this.partBytes));
      this.parts = [];
      this.partBytes = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from));
  }

  /** @param {Buffer} part */
  #keep(part) {
    this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes > maxLineBytes)
      throw new RunError(`An event has a line of more than ${maxLineBytes} bytes.`, {
        code: 'PB_FRAME_TOO_LONG',
      });
  }

  /** @param {Buffer} line without its line feed */
  #take(line) {
    const end = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
    if (end === 0) return this.#dispatch();
    const colon = line.indexOf(':');
    const nameEnd = colon < 0 ? end : colon;
    const valueStart = colon < 0 ? end : colon + (line[colon + 1] === 0x20 ? 2 : 1);
    const value = line.toString('latin1', valueStart, end);
    const name = line.toString('latin1', 0, nameEnd);
    if (name === 'data') this.data = this.data === null ? value : `${this.data}\n${value}`;
    else if (name === 'id') this.id = value;
    else if (name === 'event') this.type = value;
  }

  #dispatch() {
    const {type, id, data} = this;
    this.type = '';
    this.data = null;
    if (data !== null) this.onEvent({type: type || 'message', id, data});
  }
}
