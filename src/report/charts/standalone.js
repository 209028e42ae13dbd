import {readFileSync} from 'node:fs';
import {partsRole} from './frame.js';

/** The style of all charts, with their colours in light and dark. */
export const chartStyle = readFileSync(new URL('./chart.css', import.meta.url), 'utf8');

/**
 * A chart as a file of its own, with its style and its background. It has no script for its points, so it is an image.
 * @param {string} svg
 * @returns {string}
 */
export function standalone(svg) {
  const paper = '<rect class="paper" width="100%" height="100%"/>';
  const image = svg.replace(`role="${partsRole}"`, 'role="img"');
  return `${image.replace('>', () => `><style>${chartStyle}</style>${paper}`)}\n`;
}
