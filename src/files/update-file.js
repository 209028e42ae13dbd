import {writeFileSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import {withFileLock} from './file-lock.js';
import {cannotWrite, checkTarget, explainFileError, ignoreMissing} from './writable-file.js';

/**
 * Updates a text file under a lock that is held only meanwhile: reads it, transforms the text and replaces the file at
 * once, so that no reader ever sees half of it and no update of another process is lost. Its mode is kept, and a
 * symlink stays one. A text that the transform leaves as it is, is not written.
 *
 * @param {string} path
 * @param {(text: string) => string} transform gets an empty text when the file does not exist; its errors pass
 * @param {{waitMs?: number, signal?: AbortSignal}} [options] waitMs: how long to wait for others' updates to end,
 *   60 s by default
 * @returns {Promise<void>}
 * @throws {RunError} when the file cannot be updated; it is then as it was, and nothing is left beside it
 */
export async function updateFile(path, transform, {waitMs = 60_000, signal} = {}) {
  await explainingErrors(path, async () => {
    const target = await checkTarget(path);
    await withFileLock(target, {waitMs, signal}, async () => {
      const text = await readText(path, target);
      const updated = transform(text);
      if (updated !== text) await writeWhole(target, updated);
    });
  });
}

/**
 * Checks beforehand what updateFile would refuse, without writing. A missing file in a folder that can be written to
 * is fine. Only a full disk shows no earlier than on writing.
 *
 * @param {string} path
 * @returns {Promise<void>}
 * @throws {RunError}
 */
export async function assertWritable(path) {
  await explainingErrors(path, async () => {
    await readText(path, await checkTarget(path));
  });
}

/**
 * @param {string} path
 * @param {() => Promise<void>} action
 * @returns {Promise<void>}
 */
async function explainingErrors(path, action) {
  try {
    await action();
  } catch (error) {
    throw explainFileError(path, error);
  }
}

/**
 * Reads a file whole, with its byte order mark. Bytes that are no UTF-8 could not be written back as they were.
 *
 * @param {string} path
 * @param {string} target
 * @returns {Promise<string>} empty when the file does not exist
 */
async function readText(path, target) {
  const bytes = await readFile(target).catch(ignoreMissing);
  try {
    return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(bytes);
  } catch (error) {
    throw cannotWrite(path, 'it is not UTF-8 text. Convert it to UTF-8, or name another file.', error);
  }
}

/**
 * Replaces a file atomically: temporary file beside it, fsync, rename.
 *
 * The library would write the text with a single write call and not look at how much of it was taken, so that a disk
 * with room for a part would leave the file cut off without an error. So it is given nothing to write, and the
 * temporary file is filled here, by a call that goes on until all is written or fails.
 *
 * @param {string} target
 * @param {string} text
 * @returns {Promise<void>}
 */
async function writeWhole(target, text) {
  await writeFileAtomic(target, '', {tmpfileCreated: (temporary) => writeFileSync(temporary, text)});
}
