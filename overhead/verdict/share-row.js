import {shareInterval} from '../chance.js';

/** @import {Row} from '../part.js' */

/**
 * Returns a line of the table for a counted share. Its name includes the counts.
 * @param {string} what @param {{hits: number, of: number}} counts @param {Row['bound']} [bound] of the share
 * @returns {Row}
 */
export function shareRow(what, {hits, of}, bound = null) {
  const estimate = {value: hits / of, ci95: of > 0 ? shareInterval(hits, of) : null, count: of};
  return {what: `${what}: ${hits}/${of}`, bound, estimate, unit: '', sides: null};
}
