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
  return format.toLowerCase() === 'ndjson' ? linesOfJson(transport, stdout) : plainText;
}

/** @param {string} transport @param {NodeJS.WritableStream} stdout @returns {Output} */
function linesOfJson(transport, stdout) {
  /** @type {Output['emit']} */
  const emit = ({event, ...fields}) =>
    writeLine(`${JSON.stringify({event, transport, ...fields})}\n`, stdout);
  return {emit, warn, error: (error) => emit({event: 'error', ...failureOf(error)})};
}

/**
 * Not through the stream, if it can be helped: what it has in common with the sockets would be compiled anew, and the first part of the
 * measurement would be slower.
 * @param {string} line @param {NodeJS.WritableStream} stdout
 */
function writeLine(line, stdout) {
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
function warn(message) {
  process.stderr.write(`Warning: ${safeText(message)}\n`);
}

/** @type {Output} */
const plainText = {
  emit(_event, text) {
    if (text !== undefined) process.stdout.write(`${safeText(text)}\n`);
  },
  warn,
  error(error) {
    const unexpected = !('exitCode' in error);
    process.stderr.write(`Error: ${safeText(unexpected ? (error.stack ?? error.message) : error.message)}\n`);
  },
};
