import {linesOf, paragraph} from './marks.js';
import {element, roundToTenth} from './svg.js';

/**
 * How a chart is drawn. In a layout as wide as its place its text has 12 pixels.
 * @typedef {{width?: number, caption?: string | null}} Layout width: in pixels; caption: below the chart, such as where and when it was measured
 */

/** The layouts: of a file, and of a column of the page or of a telephone. */
export const widths = {wide: 720, narrow: 340};

/** Its points stay elements of their own for a screen reader. In an image they would be hidden. */
export const partsRole = 'graphics-document';

/**
 * The whole of a chart, with its caption.
 * @param {{title: string, width: number, height: number, caption: string | null}} chart
 * @param {...string} content
 */
export function frame({title, width, height, caption}, ...content) {
  const lines = caption === null ? [] : linesOf(caption, width - 16);
  const below = paragraph(lines, {class: 'label', x: 8, y: height + 16});
  const whole = height + (caption === null ? 0 : below.height + 12);
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      viewBox: `0 0 ${width} ${roundToTenth(whole)}`,
      role: partsRole,
      'aria-label': title,
    },
    ...content,
    below.markup,
  );
}
