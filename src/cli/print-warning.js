import {printText} from '../report/terminal.js';

/** @param {string} warning */
export function printWarning(warning) {
  printText(`Warning: ${warning}`);
}
