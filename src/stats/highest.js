/**
 * The highest of any number of values. `Math.max(...values)` fails with some 120,000 of them, as many as a plan has cells or a battle has trials.
 * @param {readonly number[]} values not negative
 * @returns {number} 0 if there are none
 */
export function highest(values) {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
