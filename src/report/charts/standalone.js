import {readFileSync} from 'node:fs';

/** The style of all charts, with their colours in light and dark. */
export const chartStyle = readFileSync(new URL('./chart.css', import.meta.url), 'utf8');

/**
 * A chart as a file of its own, with its style and its background.
 * @param {string} svg
 * @returns {string}
 */
export function standalone(svg) {
  const paper = '<rect class="paper" width="100%" height="100%"/>';
  return `${svg.replace('>', () => `><style>${chartStyle}</style>${paper}`)}\n`;
}
