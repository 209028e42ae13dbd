import {
  classOf,
  element,
  escapeText,
  frame,
  legendOf,
  linesOf,
  paragraph,
  roundToTenth,
  textElement,
  widthOfText,
  widths,
  withRoom,
} from './parts.js';

/** @import {Bar, Bars, Layout} from './chart.js' */

const rowPixels = 22;
const barPixels = 14;
const right = 28;
/** Longer names stand above their bars. */
const maxNameShare = 0.4;

/**
 * A horizontal bar for each row, stacked of its parts.
 * @param {Bars} rows @param {Layout} [layout] @returns {string} SVG, without its style
 */
export function barChart({title, x, parts, bars}, {width = widths.wide, caption = null} = {}) {
  const namePixels = 12 + Math.max(...bars.map(({name}) => widthOfText(name)));
  const isBeside = namePixels <= maxNameShare * width;
  const left = isBeside ? namePixels : 8;
  const legend = legendOf(
    parts.map((name, style) => ({name, style})),
    {width: width - 16, sample: swatch},
  );
  const top = legend.height + 8;
  let bottom = top;
  const place = (/** @type {number} */ value) => left + (width - right - left) * x.toShare(value);
  const rows = bars.map((bar) => {
    const lines = isBeside ? [] : linesOf(bar.name, width - left - 8);
    const above = paragraph(lines, {x: left, y: bottom + 13});
    const row = barOf(bar, {top: bottom + above.height, left, place, isBeside});
    bottom += above.height + rowPixels;
    return element('g', {class: 'point'}, `<title>${escapeText(bar.text)}</title>`, above.markup, ...row);
  });
  const ticks = withRoom(x.ticks, place).flatMap(({value, label, isShown}) => {
    const at = place(value);
    const line = element('line', {class: 'grid', x1: at, x2: at, y1: top, y2: bottom});
    return isShown ? [line, textElement({x: at, y: bottom + 17, 'text-anchor': 'middle'}, label)] : [line];
  });
  return frame(
    {title, width, height: bottom + 46, caption},
    element('g', {transform: 'translate(8 0)'}, legend.markup),
    ...ticks,
    textElement(
      {class: 'label', x: (left + width - right) / 2, y: bottom + 36, 'text-anchor': 'middle'},
      x.label,
    ),
    ...rows,
  );
}

/** @param {{style: number}} part @param {{x: number, y: number}} at */
function swatch({style}, {x, y}) {
  return partOf(style, {x: x - 11, y: y - 5, width: 20, height: 10});
}

/** @param {Bar} bar @param {{top: number, left: number, place: (value: number) => number, isBeside: boolean}} row */
function barOf({name, parts}, {top, left, place, isBeside}) {
  let sum = 0;
  const rectangles = parts.map((part, index) => {
    const begin = place(sum);
    sum += part;
    const y = top + (rowPixels - barPixels) / 2;
    const box = {x: begin, y, width: place(sum) - begin, height: barPixels};
    return element('g', {class: classOf(index)}, partOf(index, box));
  });
  if (!isBeside) return rectangles;
  return [textElement({x: left - 8, y: top + rowPixels / 2 + 4, 'text-anchor': 'end'}, name), ...rectangles];
}

/** Along the middle of each part. They tell parts apart where colours do not. */
const hatches = ['none', '1000', '2 2', '6 3', '2 6', '6 2 1 2', '10 4 3 4'];

/** @param {number} index of a part @param {{x: number, y: number, width: number, height: number}} box */
function partOf(index, box) {
  const bar = element('rect', {class: 'bar', ...box});
  const dashes = hatches[index % hatches.length];
  if (dashes === 'none') return bar;
  const d = `M${roundToTenth(box.x)} ${roundToTenth(box.y + box.height / 2)}h${roundToTenth(box.width)}`;
  return bar + element('path', {class: 'hatch', 'stroke-dasharray': dashes, d});
}
