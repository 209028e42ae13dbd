import {checkGivenFile, readGivenFile} from '../files/given-file.js';
import {maxPayloadBytes} from './bytes.js';

/** The sizes that a payload file may have. */
export const payloadFileLimits = {minBytes: 1, maxBytes: maxPayloadBytes};

/**
 * @param {string} path
 * @returns {Buffer}
 * @throws {UsageError} when it cannot be read, or its size is not allowed for a payload
 */
export function readPayloadFile(path) {
  return readGivenFile(path, payloadFileLimits);
}

/**
 * @param {string} path
 * @returns {number} in bytes
 * @throws {UsageError} like readPayloadFile
 */
export function payloadFileSize(path) {
  return checkGivenFile(path, payloadFileLimits);
}
