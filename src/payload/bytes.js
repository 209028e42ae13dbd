import {checkGivenFile, readGivenFile} from '../files/given-file.js';

/** The maximum length of a payload, frame or body: RabbitMQ's limit up to 3.13 (134217728 bytes; 16 MiB from 4.0 on). */
export const maxPayloadBytes = 128 * 1024 * 1024;

/** Formats a size for tables: 1024 is 1kb, 1000 is 1000b. @param {number} bytes */
export function formatBytes(bytes) {
  return bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024}kb` : `${bytes}b`;
}

/** Formats a size for sentences: 1024 is 1 KB, 1000 is 1000 B. @param {number} bytes */
export function formatSize(bytes) {
  return formatBytes(bytes).replace(/[kb]+$/, (unit) => ` ${unit.toUpperCase()}`);
}

export const payloadFileLimits = {minBytes: 1, maxBytes: maxPayloadBytes};

/**
 * @param {string} path @returns {Buffer}
 * @throws {UsageError} when the file cannot be read, or its size is not allowed for a payload
 */
export function readPayloadFile(path) {
  return readGivenFile(path, payloadFileLimits);
}

/** @param {string} path @returns {number} in bytes @throws {UsageError} like readPayloadFile */
export function payloadFileSize(path) {
  return checkGivenFile(path, payloadFileLimits);
}
