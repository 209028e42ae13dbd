import {safeText} from '../safe-text.js';

/** @param {string} warning */
export function printWarning(warning) {
  process.stderr.write(`Warning: ${safeText(warning)}\n`);
}
