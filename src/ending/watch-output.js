import {writeSync} from 'node:fs';
import {Socket} from 'node:net';
import {RunError} from '../errors.js';

/**
 * @typedef {object} WatchedOutput
 * @property {(withinMs: number) => Promise<RunError | null>} flushed resolves when the system has taken all output, or the time is over. The
 *   value is the error of lost output. A reader that closes its pipe early, such as head, causes no error
 */

/** The longest delay of a Node.js timer. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Watches whether the output of this process can be written. It must be called before anything is printed.
 * @param {(stream: NodeJS.WriteStream) => void} [onError] called with each stream at its first error
 * @returns {WatchedOutput}
 */
export function watchOutput(onError = () => {}) {
  const streams = [process.stdout, process.stderr];
  /** @type {Map<NodeJS.WriteStream, NodeJS.ErrnoException>} */
  const errors = new Map();
  for (const stream of streams) {
    // This stream is a file or a device. Pipes and terminals continue partial writes by themselves.
    if (!(stream instanceof Socket)) Object.assign(stream, {_write: writeWhole});
    stream.on('error', (error) => {
      // Further errors follow from the first one.
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
 * Returns the exit code of a process whose output could not be written. An error at run time takes precedence over failed expectations.
 * @param {number} code the exit code without the output error
 */
export function exitCodeOfLostOutput(code) {
  return [0, 4, 5].includes(code) ? 1 : code;
}

/**
 * Writes a whole chunk into a file. Node.js calls `write` only once, and loses the rest of a partial write to a nearly full disk.
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
    // The error event comes after the write.
    if (stream.writableLength === 0 || stream.destroyed) return void setImmediate(resolve);
    const timer = setTimeout(resolve, Math.min(withinMs, maxTimerMs));
    stream.write('', () => {
      clearTimeout(timer);
      setImmediate(resolve);
    });
  });
}
