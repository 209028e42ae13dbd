import {clamp} from '../../stats/numbers.js';
import {
  classOf,
  element,
  escapeText,
  frame,
  horizontalTicks,
  legendOf,
  lineOf,
  roundToTenth,
  textElement,
  verticalTicks,
  widths,
} from './parts.js';

/** @import {Layout, Panel, Steps} from './chart.js' */

const margin = {left: 58, right: 28, bottom: 46};
/** For the label above a panel. */
const labelPixels = 22;
const gapPixels = 14;
/** A moment would not be seen. */
const minBandPixels = 2;
/** Of the bands in the style sheet. */
const bandStyle = 7;

/**
 * Figures of the parts of an axis, such as of a time: a line with steps in each panel. A person points at a part, and not at a line, to read all of its
 * figures. The same input gives the same characters.
 * @param {Steps} steps @param {Layout} [layout] @returns {string} SVG, without its style
 */
export function stepChart({title, x, parts, panels, bands}, {width = widths.wide, caption = null} = {}) {
  const legend = legendOf([{name: bands.name, style: bandStyle}], {width: width - 16, sample: bandSample});
  const plotHeight = width < 500 ? 110 : 150;
  const [left, right] = [margin.left, width - margin.right];
  const atX = (/** @type {number} */ value) => left + (right - left) * clamp(x.toShare(value), 0, 1);
  const boxes = panels.map((panel, index) => {
    const top = legend.height + labelPixels + index * (plotHeight + labelPixels + gapPixels);
    return {panel, top, bottom: top + plotHeight};
  });
  const [{top}] = boxes;
  const {bottom} = boxes[boxes.length - 1];
  const drawn = boxes.map(({panel, ...box}) => panelOf(panel, {...box, left, right, atX, parts}));
  const marked = bands.places.flatMap((place) => boxes.map((box) => bandOf(place, {...box, atX})));
  return frame(
    {title, width, height: bottom + margin.bottom, caption},
    element('g', {transform: 'translate(8 0)'}, legend.markup),
    element('g', {class: classOf(bandStyle)}, ...marked),
    ...drawn,
    ...horizontalTicks(x, {bottom, at: atX}),
    textElement({class: 'label', x: (left + right) / 2, y: bottom + 38, 'text-anchor': 'middle'}, x.label),
    ...parts.map((part) => columnOf(part, {top, bottom, atX})),
  );
}

/** @param {unknown} _band @param {{x: number, y: number}} at */
function bandSample(_band, {x, y}) {
  return element('rect', {class: 'band', x: x - 11, y: y - 6, width: 22, height: 12});
}

/** @param {{from: number, until: number}} place @param {{top: number, bottom: number, atX: (value: number) => number}} plot */
function bandOf({from, until}, {top, bottom, atX}) {
  const [begin, end] = [atX(from), atX(until)];
  return element('rect', {
    ...{class: 'band', x: begin, y: top},
    ...{width: Math.max(minBandPixels, end - begin), height: bottom - top},
  });
}

/**
 * @param {Panel} panel
 * @param {{top: number, bottom: number, left: number, right: number, atX: (value: number) => number, parts: Steps['parts']}} plot
 */
function panelOf({y, style, values}, {top, bottom, left, right, atX, parts}) {
  const atY = (/** @type {number} */ value) => bottom - (bottom - top) * clamp(y.toShare(value), 0, 1);
  const steps = values.map((value, index) => {
    if (value === null) return '';
    const at = roundToTenth(atY(value));
    const isBegin = index === 0 || values[index - 1] === null;
    const to = isBegin ? `M${roundToTenth(atX(parts[index].from))} ${at}` : `V${at}`;
    return `${to}H${roundToTenth(atX(parts[index].until))}`;
  });
  return [
    textElement({class: 'label', x: left, y: top - 7}, y.label),
    ...verticalTicks(y, {left, right, at: atY}),
    element('g', {class: classOf(style)}, lineOf({style}, steps.join('') || 'M0 0')),
  ].join('');
}

/** What a pointer and a keyboard reach. @param {Steps['parts'][number]} part @param {{top: number, bottom: number, atX: (value: number) => number}} plot */
function columnOf({from, until, text}, {top, bottom, atX}) {
  const [begin, end] = [atX(from), atX(until)];
  const box = {x: begin, y: top, width: end - begin, height: bottom - top};
  return element(
    'g',
    {class: 'point'},
    `<title>${escapeText(text)}</title>`,
    element('rect', {class: 'column', ...box}),
  );
}
