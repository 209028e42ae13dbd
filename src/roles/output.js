import {writeSync} from 'node:fs';
import {failureOf} from '../errors.js';
import {safeText} from '../safe-text.js';

/** @import {RoleEvent} from '../messages.js' */

/**
 * What a script writes: plain text for people, events as JSON lines for programs.
 *
 * @typedef {object} Output
 * @property {(event: RoleEvent, text?: string) => void} emit text: printed for people in place of the event; nothing unless given
 * @property {(message: string) => void} warn
 * @property {(error: Error) => void} error
 */

/**
 * @param {string} format ndjson, or anything else for text; a malformed format is reported when the options are read
 * @param {string} transport its name
 * @param {NodeJS.WritableStream} [stdout] takes the events or the text
 * @returns {Output}
 */
export function makeOutput(format, transport, stdout = process.stdout) {
  return format.toLowerCase() === 'ndjson' ? new LinesOfJson(transport, stdout) : new PlainText();
}

/** @implements {Output} */
class LinesOfJson {
  /** @param {string} transport @param {NodeJS.WritableStream} stdout */
  constructor(transport, stdout) {
    this.transport = transport;
    this.stdout = stdout;
  }

  /** @param {RoleEvent} event */
  emit(event) {
    const {event: name, ...fields} = event;
    this.#write(`${JSON.stringify({event: name, transport: this.transport, ...fields})}\n`);
  }

  /**
   * Not through the stream, if it can be helped: what it has in common with the sockets would be compiled anew, and the first part of the
   * measurement would be slower.
   * @param {string} line
   */
  #write(line) {
    const {stdout} = this;
    if (stdout !== process.stdout || process.stdout.writableLength > 0) return void stdout.write(line);
    let written = 0;
    try {
      written = writeSync(process.stdout.fd, line);
    } catch {
      // The pipe is full or broken; the stream waits or reports that.
    }
    if (written === line.length) return;
    const bytes = Buffer.from(line);
    if (written < bytes.length) stdout.write(bytes.subarray(written));
  }

  /** @param {string} message */
  warn(message) {
    process.stderr.write(`Warning: ${safeText(message)}\n`);
  }

  /** @param {Error} error */
  error(error) {
    this.emit({event: 'error', ...failureOf(error)});
  }
}

/** @implements {Output} */
class PlainText {
  /** @param {RoleEvent} _event @param {string} [text] */
  emit(_event, text) {
    if (text !== undefined) process.stdout.write(`${safeText(text)}\n`);
  }

  /** @param {string} message */
  warn(message) {
    process.stderr.write(`Warning: ${safeText(message)}\n`);
  }

  /** @param {Error} error */
  error(error) {
    const unexpected = !('exitCode' in error);
    process.stderr.write(`Error: ${safeText(unexpected ? (error.stack ?? error.message) : error.message)}\n`);
  }
}
