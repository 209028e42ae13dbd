/** @import {WarmUp} from '../measure/warm-up.js' */

/** As in a battle without a preset: until the median is stable. @type {WarmUp} */
export const warmUpUntilSettled = {kind: 'auto', maximumMs: 1000};

/** @param {number} count of messages that do not count @returns {WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
