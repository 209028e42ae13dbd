import {PayloadRing} from '../../payload/ring.js';
import {minNumberedBytes, sequenceBytes} from '../../payload/stamp.js';

/**
 * A request consists of its number, the number of rows (4 bytes, big-endian), and the delivery (one byte). The answer starts with the same
 * number.
 */

const rowsOffset = sequenceBytes;
const deliveryOffset = rowsOffset + 4;
const requestBytes = minNumberedBytes;
const deliveries = /** @type {const} */ (['streamed', 'preloaded']);

/** The maximum of --rows. Bytes from the network must not make a server fill its memory. */
export const maxRows = 1_000_000;

/** @typedef {(typeof deliveries)[number]} Delivery */

/**
 * Makes the requests of one client, one for each slot of its window.
 * @param {{rows: number, delivery: Delivery, window: number, client?: number}} options
 */
export function makeRequestRing({rows, delivery, window, client = 0}) {
  const request = Buffer.alloc(requestBytes);
  request.writeUInt32BE(rows, rowsOffset);
  request[deliveryOffset] = deliveries.indexOf(delivery);
  return new PayloadRing(
    Array.from({length: window}, () => Buffer.from(request)),
    {client},
  );
}

/** @param {Buffer} request @returns {{stamp: Buffer, rows: number, delivery: Delivery} | null} null if it is not a request for rows */
export function readRequest(request) {
  if (request.length !== requestBytes) return null;
  const rows = request.readUInt32BE(rowsOffset);
  const delivery = deliveries[request[deliveryOffset]];
  if (rows < 1 || rows > maxRows || !delivery) return null;
  return {stamp: request.subarray(0, sequenceBytes), rows, delivery};
}

/** Bytes of the encoded rows by their number: the sizes of the four tables in the published comparison, where 1 MB is 1024 × 1024 bytes. */
const known = new Map([
  [8, megabytes(0.008)],
  [504, megabytes(0.102)],
  [2679, megabytes(0.156)],
  [72_591, megabytes(4.086)],
]);

/** Bytes per row of any other set, as in the largest table. */
const defaultRowBytes = 59;

/** The numbers of rows without --rows. */
export const defaultRows = [...known.keys()];

/** Returns the bytes of an encoded row set. @param {number} rows */
export function recordSetBytes(rows) {
  return known.get(rows) ?? rows * defaultRowBytes;
}

/** @param {number} value */
function megabytes(value) {
  return Math.round(value * 1024 * 1024);
}
