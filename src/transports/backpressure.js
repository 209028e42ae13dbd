/** @import {Writable} from 'node:stream' */

/**
 * Waits until a writable stream accepts more.
 * @param {Writable} stream
 * @returns {Promise<void>} resolves at once when the buffer is not full; also resolves when the stream is destroyed, which its reader
 *   detects
 */
export function drained(stream) {
  return new Promise((resolve) => {
    if (!stream.writableNeedDrain || stream.destroyed) return resolve();
    const done = () => {
      stream.removeListener('drain', done);
      stream.removeListener('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}

/**
 * Waits until a writable stream has handed everything to the operating system.
 * @param {Writable} stream
 * @returns {Promise<{confirmed: null}>}
 */
export function flushed(stream) {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) return resolve({confirmed: null});
    stream.write(Buffer.alloc(0), () => resolve({confirmed: null}));
  });
}
