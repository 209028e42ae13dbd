/** Bytes of the encoded rows, by their number: the sizes of the four tables in the published comparison, where 1 MB is 1024 × 1024 bytes. */
const known = new Map([
  [8, megabytes(0.008)],
  [504, megabytes(0.102)],
  [2679, megabytes(0.156)],
  [72_591, megabytes(4.086)],
]);

/** Bytes per row of any other set: the same as in the largest table. */
const defaultRowBytes = 59;

/** The numbers of rows without --rows. */
export const defaultRows = [...known.keys()];

/**
 * The bytes of an encoded row set.
 * @param {number} rows
 * @returns {number}
 */
export function recordSetBytes(rows) {
  return known.get(rows) ?? rows * defaultRowBytes;
}

/** @param {number} value */
function megabytes(value) {
  return Math.round(value * 1024 * 1024);
}
