import {formatRate, formatShortMs} from '../../../columns/figures.js';
import {wordsOn} from '../../../faults/conclude.js';
import {clamp} from '../../../stats/numbers.js';
import {linearAxis, logAxis} from '../../charts/axis.js';
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
} from '../../charts/parts.js';
import {countedIn, isDuringFault} from '../../show-faults.js';
import {formatMark} from './series.js';

/**
 * @import {Row, Summary} from '../../../faults/found.js'
 * @import {Axis, Chart, Layout, Panel, Steps} from '../../charts/chart.js'
 */

/** A coarse clock may measure a time of 0, which a logarithmic axis cannot show. */
const leastMs = 0.01;

/**
 * Draws a load over time while a fault hits its target: the good replies, and the worst response time.
 * @param {Summary} summary @param {{id: string, name: string, row: Row, isMain: boolean}} what name: of the row
 * @returns {Chart | null} null if the fault does not interrupt the load
 */
export function loadUnderFault({fault, tries, outageMs, outageEnd, timeline}, {id, name, row, isMain}) {
  if (outageEnd === 'none') return null;
  const {partMs, isConfirmed: isAnswered, goodPerSecond, worstMs, faults} = timeline;
  const worst = worstMs.map((ms) => (ms === null ? null : Math.max(leastMs, ms)));
  const what = countedIn({fault, row}, timeline);
  const {worst: worstIs} = wordsOn(row);
  const parts = goodPerSecond.map((rate, part) => ({
    from: (part * partMs) / 1000,
    until: ((part + 1) * partMs) / 1000,
    rate: formatRate(rate),
    worst: worst[part] === null ? '' : formatShortMs(worst[part]),
    during: isDuringFault(timeline, part) ? `during ${fault}` : '',
  }));
  const bands = {
    name: `${fault}, until its target ran again`,
    places: faults.map(({fromMs, untilMs}) => ({from: fromMs / 1000, until: untilMs / 1000})),
  };
  const title = `${name}, ${fault}: ${outageMs === null ? 'an outage did not end' : `outage ${formatSeconds(outageMs / 1000)}`}`;
  return {
    ...{id, title, isMain},
    note: noteOn({tries, isAnswered, row}),
    draw: (layout) =>
      stepChart(
        {
          ...{title, x: timeAxis(parts[parts.length - 1].until), bands},
          panels: panelsOf(goodPerSecond, worst, {good: `${what} per second`, worst: `${worstIs}, ms`}),
          parts: parts.map(({from, until, rate, worst: longest, during}) => {
            const response = longest && `${worstIs} ${longest} ms`;
            const text = [`${rate} ${what}/s`, response, during].filter(Boolean).join(', ');
            return {from, until, text: `${name}, ${periodOf({from, until})}: ${text}`};
          }),
        },
        layout,
      ),
    values: {
      what: `${what} per second${isAnswered ? ` and the ${worstIs}` : ''}, in parts of ${formatSeconds(partMs / 1000)}`,
      columns: [`${what} per second`, ...(isAnswered ? [`${worstIs}, ms`] : []), 'fault'],
      rows: parts.map(({from, until, rate, worst: longest, during}) => ({
        name: periodOf({from, until}),
        cells: [rate, ...(isAnswered ? [longest] : []), during],
      })),
      isFolded: true,
    },
  };
}

/** @param {readonly number[]} rates @param {readonly (number | null)[]} worst @param {{good: string, worst: string}} labels */
function panelsOf(rates, worst, labels) {
  const known = worst.filter((ms) => ms !== null);
  const good = {y: linearAxis(rates, {label: labels.good, format: formatMark}), style: 1, values: rates};
  if (known.length === 0) return [good];
  const y = logAxis(known, {label: labels.worst, format: formatMark});
  return [good, {y, style: 2, values: worst}];
}

/** The axis ends exactly at the end of the load. @param {number} end in seconds @returns {Axis} */
function timeAxis(end) {
  const {ticks} = linearAxis([end], {label: '', format: formatMark});
  return {
    label: 'time since the load began, s',
    ticks: ticks.filter(({value}) => value <= end),
    toShare: (value) => value / end,
  };
}

/** @param {Row} row */
function timeIn({isOneWay, subscribers}) {
  if (subscribers !== undefined) return 'The time until the last subscriber';
  return isOneWay ? 'The time until arrival' : 'A response time';
}

/** @param {{tries: number, isAnswered: boolean, row: Row}} of */
function noteOn({tries, isAnswered, row}) {
  return [
    ...(tries > 1 ? [`The outage is the longest of ${tries} tries.`] : []),
    isAnswered
      ? `${timeIn(row)} counts from the time its message was due, so it includes the outage. Its axis is logarithmic.`
      : 'Nothing is confirmed here, so messages sent take the place of good replies.',
    'The load ends within the last part.',
  ].join(' ');
}

/** @param {{from: number, until: number}} part in seconds */
function periodOf({from, until}) {
  return `${from.toFixed(1)} to ${until.toFixed(1)} s`;
}

/** @param {number} seconds */
function formatSeconds(seconds) {
  return `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;
}

const margin = {left: 58, right: 28, bottom: 46};
const labelPixels = 22;
const gapPixels = 14;
/** A narrower band would be invisible. */
const minBandPixels = 2;
const bandStyle = 7;

/**
 * Draws figures over the parts of an axis, such as of a time: a line with steps in each panel. A reader points at a part to
 * read all of its figures. The same input gives the same characters.
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

/**
 * Returns the target of a pointer and of the keyboard.
 * @param {Steps['parts'][number]} part @param {{top: number, bottom: number, atX: (value: number) => number}} plot
 */
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
