import {readFile, stat} from 'node:fs/promises';
import {UsageError} from '../errors.js';
import {maxPayloadBytes} from './limits.js';

/**
 * @param {string} path
 * @returns {Promise<Buffer>}
 * @throws {UsageError} when it cannot be read, or its size is not allowed for a payload
 */
export async function readPayloadFile(path) {
  await payloadFileSize(path);
  return readFile(path).catch((error) => unreadable(path, error));
}

/**
 * @param {string} path
 * @returns {Promise<number>} in bytes
 * @throws {UsageError} like readPayloadFile
 */
export async function payloadFileSize(path) {
  const stats = await stat(path).catch((error) => unreadable(path, error));
  if (!stats.isFile()) throw new UsageError(`The payload file ${path} must be a regular file.`);
  if (stats.size >= 1 && stats.size <= maxPayloadBytes) return stats.size;
  throw new UsageError(
    `The payload file ${path} must have 1 to ${maxPayloadBytes} bytes; it has ${stats.size}.`,
  );
}

/** @param {string} path @param {Error} cause @returns {never} */
function unreadable(path, cause) {
  throw new UsageError(`The payload file ${path} cannot be read: ${cause.message}.`, {cause});
}
