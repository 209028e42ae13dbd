/**
 * The number of trials in a cell's counts. A disturbed trial is repeated, and both count until three trials are undisturbed.
 * @param {{trials: readonly {used: boolean}[]}} cell
 */
export function usedTrials({trials}) {
  return trials.filter(({used}) => used).length;
}
