import {writeSync} from 'node:fs';
import {Socket} from 'node:net';
import {RunError} from '../errors.js';

/**
 * What became of what this process printed.
 *
 * @typedef {object} WatchedOutput
 * @property {(withinMs: number) => Promise<RunError | null>} flushed resolves when all of it was handed over to the system, or the time is over: to the
 *   error of what could not be written. A reader that closes its pipe early, such as head, is no error
 */

/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Watches whether what this process prints can be written. It is to be called before anything is printed.
 * @param {(stream: NodeJS.WriteStream) => void} [onError] gets each stream at its first error
 * @returns {WatchedOutput}
 */
export function watchOutput(onError = () => {}) {
  const streams = [process.stdout, process.stderr];
  /** @type {Map<NodeJS.WriteStream, NodeJS.ErrnoException>} */
  const errors = new Map();
  for (const stream of streams) {
    // A file or a device. Pipes and terminals go on by themselves with what was not taken at once.
    if (!(stream instanceof Socket)) Object.assign(stream, {_write: writeWhole});
    stream.on('error', (error) => {
      // Others follow from the first one.
      if (errors.has(stream)) return;
      errors.set(stream, error);
      onError(stream);
    });
  }
  return {
    async flushed(withinMs) {
      await Promise.all(streams.map((stream) => flush(stream, withinMs)));
      const failed = [...errors].find(([, {code}]) => code !== 'EPIPE');
      return failed ? await outputError(...failed) : null;
    },
  };
}

/** @param {NodeJS.WriteStream} stream @param {NodeJS.ErrnoException} error */
async function outputError(stream, error) {
  const {explainFileError} = await import('../files/writable-file.js');
  const name = stream === process.stdout ? 'standard output' : 'standard error';
  const explained = explainFileError(name, error);
  return explained instanceof RunError
    ? explained
    : new RunError(`Cannot write ${name}: ${error.message}`, {cause: error});
}

/**
 * The exit code of a process whose output could not be written. What went wrong at run time comes before what became of expectations.
 * @param {number} code without that
 */
export function exitCodeOfLostOutput(code) {
  return [0, 4, 5].includes(code) ? 1 : code;
}

/**
 * Writes a chunk into a file. Node.js calls `write` once, and loses what a nearly full disk did not take.
 * @this {NodeJS.WriteStream & {fd: number}}
 * @param {Uint8Array | string} chunk @param {BufferEncoding} _encoding
 * @param {(error?: Error | null) => void} done
 */
function writeWhole(chunk, _encoding, done) {
  const bytes = Buffer.from(chunk);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(this.fd, bytes, written);
  } catch (error) {
    return done(/** @type {Error} */ (error));
  }
  done();
}

/** @param {NodeJS.WriteStream} stream @param {number} withinMs @returns {Promise<void>} */
function flush(stream, withinMs) {
  return new Promise((resolve) => {
    // The event of an error comes after the write.
    if (stream.writableLength === 0 || stream.destroyed) return void setImmediate(resolve);
    const timer = setTimeout(resolve, Math.min(withinMs, maxTimerMs));
    stream.write('', () => {
      clearTimeout(timer);
      setImmediate(resolve);
    });
  });
}
