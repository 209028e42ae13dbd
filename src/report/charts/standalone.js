import {readFileSync} from 'node:fs';

/** The style of all charts. Colours come from custom properties, where a page sets them. */
export const chartStyle = readFileSync(new URL('./chart.css', import.meta.url), 'utf8');

/**
 * A chart as a file of its own, with its style and on white.
 * @param {string} svg
 * @returns {string}
 */
export function standalone(svg) {
  const paper = '<rect width="100%" height="100%" fill="#ffffff"/>';
  return `${svg.replace('>', () => `><style>${chartStyle}</style>${paper}`)}\n`;
}
