/** @import {Counts} from './types.js' */

/** @type {Readonly<Counts>} */
export const noCounts = {
  sent: 0,
  received: 0,
  lost: 0,
  verified: 0,
  duplicated: 0,
  reordered: 0,
  corrupted: 0,
  retried: 0,
  timedOut: 0,
};

/** @param {readonly Counts[]} list @returns {Counts} */
export function sumCounts(list) {
  const total = {...noCounts};
  for (const counts of list) {
    for (const name of /** @type {(keyof Counts)[]} */ (Object.keys(total))) total[name] += counts[name];
  }
  return total;
}
