/** Bytes of the encoded rows: the four tables of the published comparison have these sizes (1 MB there is 1024 × 1024 bytes). */
const known = new Map([
  [8, megabytes(0.008)],
  [504, megabytes(0.102)],
  [2679, megabytes(0.156)],
  [72_591, megabytes(4.086)],
]);

/** A row of another set is as long as one of the largest table. */
const defaultRowBytes = 59;

/** The numbers of rows that are asked for unless the person says. */
export const defaultRows = [...known.keys()];

/**
 * How long an encoded set of so many rows is.
 * @param {number} rows
 * @returns {number} in bytes
 */
export function recordSetBytes(rows) {
  return known.get(rows) ?? rows * defaultRowBytes;
}

/** @param {number} value */
function megabytes(value) {
  return Math.round(value * 1024 * 1024);
}
