/** @import {ProcessTimes} from '../measure/process-times.js' */

/**
 * @param {readonly (ProcessTimes | null)[]} times of several processes
 * @returns {ProcessTimes | null} of all of them together; null when the times of one are not available, or there are none
 */
export function sumTimes(times) {
  if (times.length === 0) return null;
  return times.reduce(
    (sum, one) =>
      sum &&
      one && {
        userMs: sum.userMs + one.userMs,
        systemMs: sum.systemMs + one.systemMs,
        maxRssBytes:
          sum.maxRssBytes === null || one.maxRssBytes === null ? null : sum.maxRssBytes + one.maxRssBytes,
        instance: `${sum.instance} ${one.instance}`,
      },
  );
}
