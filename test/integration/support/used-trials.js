/**
 * How many trials a cell's counts are of: one that something disturbed is repeated, and both count until three are undisturbed.
 * @param {{trials: readonly {used: boolean}[]}} cell
 */
export function usedTrials({trials}) {
  return trials.filter(({used}) => used).length;
}
