/** If there are more sizes than this, a comparison has only some of them. */
const maxSizes = 8;

/**
 * The sizes of a comparison with published figures: all of them, or the first, the last, and those nearest to a published one. If these are
 * too many as well, those of a whole curve, then the first, the middle one and the last.
 *
 * @param {readonly number[]} sizes in bytes, in any order
 * @param {readonly number[]} published sizes
 * @returns {Set<number>}
 */
export function shownSizes(sizes, published) {
  const ordered = [...new Set(sizes)].toSorted((one, other) => one - other);
  if (ordered.length <= maxSizes) return new Set(ordered);
  const nearest = new Set(published.map((size) => nearestOf(ordered, size)));
  const inBetween = nearest.size > maxSizes ? [ordered[Math.floor(ordered.length / 2)]] : nearest;
  return new Set([ordered[0], ...inBetween, ordered[ordered.length - 1]]);
}

/** @param {readonly number[]} sizes at least one @param {number} wanted */
export function nearestOf(sizes, wanted) {
  return sizes.reduce((best, size) => (Math.abs(size - wanted) < Math.abs(best - wanted) ? size : best));
}
