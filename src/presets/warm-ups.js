/** As in a battle without a preset: until the median settles. @type {import('../options/common.js').WarmUp} */
export const warmUpUntilSettled = {kind: 'auto', maximumMs: 1000};

/** @param {number} count of messages that are not counted @returns {import('../options/common.js').WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
