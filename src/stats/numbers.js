/** The nearest value within a range. @param {number} value @param {number} minimum @param {number} maximum */
export function clamp(value, minimum, maximum) {
  return Math.min(Math.max(value, minimum), maximum);
}

/** A share in a sentence. @param {number} share @param {number} [decimals] */
export function percent(share, decimals = 1) {
  return `${(share * 100).toFixed(decimals)} %`;
}

/**
 * The highest of any number of values. `Math.max(...values)` fails with some 120,000 of them, as many as a plan has cells or a battle has trials.
 * @param {readonly number[]} values not negative
 * @returns {number} 0 if there are none
 */
export function highest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
