/** @import {WarmUp} from '../measure/warm-up.js' */

/** @param {number} count of messages that do not count @returns {WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
