/** @param {string} warning */
export function printWarning(warning) {
  process.stderr.write(`Warning: ${warning}\n`);
}
