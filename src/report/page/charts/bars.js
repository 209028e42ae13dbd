import {formatCpu, formatRate, formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {linearAxis} from '../../charts/axis.js';
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
} from '../../charts/parts.js';
import {cellText, chartPerSize, formatMark, nameWithRate} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Bar, Bars, Layout} from '../../charts/chart.js'
 */

/**
 * Draws a chart of bars for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, id: string, title: string, note: string, label: string}} what label: of the axis
 * @param {{partsOf: (block: readonly CompletedRecord[]) => readonly string[], barOf: (record: CompletedRecord, parts: readonly string[]) => Bar[]}} how
 *   barOf: empty for a record without the figures
 */
function barsPerSize(records, {label, ...what}, {partsOf, barOf}) {
  return chartPerSize(records, what, (block, title) => {
    const parts = partsOf(block);
    const bars = block.flatMap((record) => barOf(record, parts));
    if (bars.length === 0) return null;
    const sums = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part, 0));
    const x = linearAxis(sums, {label, format: formatMark});
    return {
      draw: (layout) => barChart({title, x, parts, bars}, layout),
      values: {what: label, columns: parts, rows: bars.map(({name, values}) => ({name, cells: values}))},
    };
  });
}

/** @typedef {'client' | 'server' | 'broker'} Role */

/** @type {readonly Role[]} */
const withoutBroker = ['client', 'server'];
/** @type {readonly Role[]} */
const roles = [...withoutBroker, 'broker'];

/** @param {readonly CompletedRecord[]} records of one table @param {{name: string}} table */
export function cpuPerMessage(records, {name}) {
  const what = {
    table: name,
    id: 'cpu',
    title: 'CPU time for a message',
    note: 'One broker may serve all cells. Its time is the time that it used while the cell was measured.',
    label: 'CPU time for a message, µs',
  };
  const hasBroker = records.some(({hosts, cpu}) => hosts.broker !== null || cpu.broker !== null);
  const shown = hasBroker ? roles : withoutBroker;
  return barsPerSize(records, what, {partsOf: () => shown, barOf: (record) => cpuBar(record, shown)});
}

/** @param {CompletedRecord} record @param {readonly Role[]} shown @returns {Bar[]} empty if no CPU time is known */
function cpuBar(record, shown) {
  const micros = shown.map((role) => record.cpu[role]?.microsPerMessage ?? null);
  if (micros.every((one) => one === null)) return [];
  const each = shown.flatMap((role, index) => {
    const one = micros[index];
    return one === null ? [] : `${role} ${formatRate(one)} µs`;
  });
  return [
    {
      name: nameWithRate(record),
      parts: micros.map((one) => one ?? 0),
      values: micros.map((one) => (one === null ? '' : formatRate(one))),
      text: cellText(record, `${formatCpu(record)} µs: ${each.join(', ')}`),
    },
  ];
}

/** Each direction is one part if there is no broker, or if the broker's share is unknown. */
const plainParts = ["to the server's handler", 'in the handler', 'back to the client'];
const partsByBroker = [
  ...['to the broker', 'in the broker', "to the server's handler"],
  'in the handler',
  ...['back to the broker', 'in the broker again', 'back to the client'],
];

/**
 * Draws the parts of the mean round trips of the cells that were measured with --anatomy.
 * @param {readonly CompletedRecord[]} records of one table @param {{name: string}} table
 */
export function anatomyOfMeans(records, {name}) {
  const what = {
    table: name,
    id: 'anatomy',
    title: 'Latency breakdown: what the mean round trip consists of',
    note: "The server's handler computes the reply. Everything else is part of a way: libraries, kernel, network, broker.",
    label: 'mean round trip, ms',
  };
  const partsOf = (/** @type {readonly CompletedRecord[]} */ block) =>
    block.some(({anatomy}) => anatomy?.hops) ? partsByBroker : plainParts;
  return barsPerSize(records, what, {partsOf, barOf: anatomyBar});
}

/** @param {CompletedRecord} record @param {readonly string[]} parts @returns {Bar[]} empty without --anatomy */
function anatomyBar(record, parts) {
  if (!record.anatomy) return [];
  const means = meansOf(record.anatomy, parts);
  const values = means.map((mean) => (mean === nothing ? '' : formatShortMs(mean.meanMs, mean.ci95Ms)));
  const each = values.flatMap((value, index) => (value === '' ? [] : `${parts[index]} ${value} ms`));
  return [
    {
      name: nameOfVariant(record.labels),
      parts: means.map(({meanMs}) => Math.max(0, meanMs)),
      values,
      text: cellText(record, each.join(', ')),
    },
  ];
}

const nothing = {meanMs: 0, ci95Ms: null};

/**
 * Returns the means of the parts. An undivided direction is counted as its last part.
 * @param {NonNullable<CompletedRecord['anatomy']>} anatomy @param {readonly string[]} parts
 */
function meansOf({request, handler, reply, hops}, parts) {
  if (parts === plainParts) return [request, handler, reply];
  const ways = hops ?? {
    request: {before: nothing, broker: nothing, after: request},
    reply: {before: nothing, broker: nothing, after: reply},
  };
  return [
    ...[ways.request.before, ways.request.broker, ways.request.after],
    handler,
    ...[ways.reply.before, ways.reply.broker, ways.reply.after],
  ];
}

const rowPixels = 22;
const barPixels = 14;
const right = 28;
/** A longer name is above its bar. Unit: share of the chart's width. */
const maxNameShare = 0.4;

/**
 * Draws a horizontal bar for each row, stacked from its parts.
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

/** Dash patterns along the middle of each part. They tell parts apart where colours do not. */
const hatches = ['none', '1000', '2 2', '6 3', '2 6', '6 2 1 2', '10 4 3 4'];

/** @param {number} index of a part @param {{x: number, y: number, width: number, height: number}} box */
function partOf(index, box) {
  const bar = element('rect', {class: 'bar', ...box});
  const dashes = hatches[index % hatches.length];
  if (dashes === 'none') return bar;
  const d = `M${roundToTenth(box.x)} ${roundToTenth(box.y + box.height / 2)}h${roundToTenth(box.width)}`;
  return bar + element('path', {class: 'hatch', 'stroke-dasharray': dashes, d});
}
