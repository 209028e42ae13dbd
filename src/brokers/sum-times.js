/** @import {readProcessTimes} from '../measure/process-times.js' */

/** @typedef {ReturnType<typeof readProcessTimes>} ProcessTimes */

/**
 * @param {readonly ProcessTimes[]} times of several processes
 * @returns {ProcessTimes} of all of them together; null when the times of one are not available, or there are none
 */
export function sumTimes(times) {
  if (times.length === 0) return null;
  return times.reduce(
    (sum, one) =>
      sum &&
      one && {
        userMs: sum.userMs + one.userMs,
        systemMs: sum.systemMs + one.systemMs,
        maxRssBytes: sum.maxRssBytes + one.maxRssBytes,
      },
  );
}
