const maxWarnings = 10;

/**
 * The first warnings, and how many more there are: a journal in which every line is wrong would fill the screen.
 * @param {readonly string[]} warnings
 * @returns {string[]}
 */
export function capWarnings(warnings) {
  if (warnings.length <= maxWarnings) return [...warnings];
  const more = warnings.length - maxWarnings + 1;
  return [...warnings.slice(0, maxWarnings - 1), `${more} more lines of the journal are skipped.`];
}
