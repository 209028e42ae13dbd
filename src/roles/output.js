/** @import {Transport} from '../transports/index.js' */

/**
 * What a script tells: people read plain text, programs JSON lines with an `event` of `ready`, `progress`, `result` or
 * `error`.
 *
 * @typedef {object} Output
 * @property {(event: string, fields: Record<string, unknown>, text?: string) => void} emit text: what a person reads instead
 * @property {(message: string) => void} warn
 * @property {(error: Error) => void} error
 */

/**
 * @param {string} format ndjson, or anything else for text; a malformed format is reported when the options are read
 * @param {Transport} transport
 * @returns {Output}
 */
export function makeOutput(format, transport) {
  return format.toLowerCase() === 'ndjson' ? new LinesOfJson(transport.name) : new PlainText();
}

/** @implements {Output} */
class LinesOfJson {
  /** @param {string} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /** @param {string} event @param {Record<string, unknown>} fields */
  emit(event, fields) {
    process.stdout.write(`${JSON.stringify({event, transport: this.transport, ...fields})}\n`);
  }

  /** @param {string} message */
  warn(message) {
    process.stderr.write(`Warning: ${message}\n`);
  }

  /** @param {Error} error */
  error(error) {
    const {code = 'PB_UNEXPECTED', exitCode = 1} = /** @type {any} */ (error);
    this.emit('error', {code, message: error.message, exitCode});
  }
}

/** @implements {Output} */
class PlainText {
  /** @param {string} _event @param {Record<string, unknown>} _fields @param {string} [text] */
  emit(_event, _fields, text) {
    if (text !== undefined) process.stdout.write(`${text}\n`);
  }

  /** @param {string} message */
  warn(message) {
    process.stderr.write(`Warning: ${message}\n`);
  }

  /** @param {Error} error */
  error(error) {
    const unexpected = !('exitCode' in error);
    process.stderr.write(`Error: ${unexpected ? (error.stack ?? error.message) : error.message}\n`);
  }
}
