import {isUtf8} from 'node:buffer';
import {writeFileSync} from 'node:fs';
import {readFile, stat} from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import {withFileLock} from './file-lock.js';
import {cannotWrite, checkTarget, explainFileError, ignoreMissing} from './writable-file.js';

/** A longer markdown file is refused: parsing it would take too long. */
export const maxMarkdownBytes = 5 * 1024 ** 2;

/**
 * Updates a text file: reads it, transforms the text and replaces the file atomically, under a lock. So no reader sees a
 * partial file and no update of another process is lost. The file keeps its mode, and a symlink stays a symlink. An
 * unchanged text is not written.
 *
 * @param {string} path
 * @param {(text: string) => string | Promise<string>} transform receives an empty text when the file does not exist; its errors are
 *   passed on. It is called again when another process has changed the file meanwhile
 * @param {{waitMs?: number, signal?: AbortSignal}} [options] waitMs: how long to wait for the lock, 60 s by default
 * @returns {Promise<void>}
 * @throws {RunError} when the file cannot be updated; the file is then unchanged, and no temporary file is left
 */
export async function updateFile(path, transform, {waitMs = 60_000, signal} = {}) {
  await explainingErrors(path, async () => {
    const target = await checkTarget(path);
    refuseJournal(path, target);
    // A transform that takes long would let the lock expire, so its result is only written under the lock, if the text is still the same.
    const before = await readText(path, target);
    const planned = await transform(before);
    await withFileLock(target, {waitMs, signal}, async () => {
      const text = await readText(path, target);
      const updated = text === before ? planned : await transform(text);
      if (updated !== text) await writeWhole(target, updated);
    });
  });
}

/**
 * A link may lead to a journal, which is only ever appended to.
 * @param {string} path
 * @param {string} target
 */
function refuseJournal(path, target) {
  if (/\.ndjson$/i.test(target)) throw cannotWrite(path, `it is the journal ${target}. Name another file.`);
}

/**
 * Checks, without writing, whether updateFile would accept a file. A missing file in a writable folder is accepted. A
 * full disk cannot be detected before the write.
 *
 * @param {string} path
 * @returns {Promise<string>} its text, empty when it does not exist
 * @throws {RunError}
 */
export async function assertWritable(path) {
  return await explainingErrors(path, async () => {
    const target = await checkTarget(path);
    refuseJournal(path, target);
    return await readText(path, target);
  });
}

/**
 * @template Result
 * @param {string} path
 * @param {() => Promise<Result>} action
 * @returns {Promise<Result>}
 */
async function explainingErrors(path, action) {
  try {
    return await action();
  } catch (error) {
    throw explainFileError(path, error);
  }
}

/**
 * Reads a whole file and keeps its byte order mark. Invalid UTF-8 is refused, because it could not be written back
 * unchanged.
 *
 * @param {string} path
 * @param {string} target
 * @returns {Promise<string>} empty when the file does not exist
 */
async function readText(path, target) {
  const stats = await stat(target).catch(ignoreMissing);
  if (stats && stats.size > maxMarkdownBytes)
    throw cannotWrite(
      path,
      `it has ${stats.size} bytes, and at most ${maxMarkdownBytes} are supported. Name another file.`,
    );
  const bytes = (await readFile(target).catch(ignoreMissing)) ?? Buffer.alloc(0);
  if (!isUtf8(bytes))
    throw cannotWrite(path, 'it is not UTF-8 text. Convert it to UTF-8, or name another file.');
  return bytes.toString();
}

/**
 * Replaces a file atomically: temporary file beside it, fsync, rename.
 *
 * The library would write the text with one write call and ignore how many bytes were written. On a nearly full disk
 * the file would be truncated without an error. So the library gets an empty text, and writeFileSync fills the
 * temporary file: it continues until everything is written, or throws.
 *
 * @param {string} target
 * @param {string} text
 * @returns {Promise<void>}
 */
async function writeWhole(target, text) {
  await writeFileAtomic(target, '', {tmpfileCreated: (temporary) => writeFileSync(temporary, text)});
}
