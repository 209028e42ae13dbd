/** @import {Writable} from 'node:stream' */

/**
 * Waiting until a writable stream takes more, and until it has handed over all it has. Each waits for one event, and for the end
 * of the stream, which whoever reads from it notices too.
 */

/**
 * @param {Writable} stream
 * @returns {Promise<void>} resolves at once when nothing has to drain, and when the stream has died
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
 * @param {Writable} stream
 * @returns {Promise<{confirmed: null}>} when the system has taken all that was written
 */
export function flushed(stream) {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || stream.destroyed) return resolve({confirmed: null});
    stream.write(Buffer.alloc(0), () => resolve({confirmed: null}));
  });
}
