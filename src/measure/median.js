/**
 * A role takes a median when it warms up for an open loop. simple-statistics has one too, but its import costs a role some 15 ms of CPU.
 * @param {ArrayLike<number>} values
 * @returns {number} NaN when there are none
 */
export function medianOf(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
