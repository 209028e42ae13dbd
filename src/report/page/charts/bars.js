import {formatCpu, formatRate, formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {linearAxis} from '../../charts/axis.js';
import {barChart} from '../../charts/bar-chart.js';
import {cellText, chartPerSize, formatMark, nameWithRate} from './series.js';

/**
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Bar} from '../../charts/chart.js'
 */

/**
 * A chart of bars for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{table: string, id: string, title: string, note: string, label: string}} what label: of the axis
 * @param {{partsOf: (block: readonly CompletedRecord[]) => readonly string[], barOf: (record: CompletedRecord, parts: readonly string[]) => Bar[]}} how
 *   barOf: none for a record that has no such figures
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

const roles = /** @type {const} */ (['client', 'server', 'broker']);

/**
 * The CPU time of each role for a message.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
 */
export function cpuPerMessage(records, {name}) {
  const what = {
    table: name,
    id: 'cpu',
    title: 'CPU time for a message',
    note: 'Of a broker that serves all cells, the time that it used while the cell was measured.',
    label: 'CPU time for a message, µs',
  };
  return barsPerSize(records, what, {partsOf: () => roles, barOf: cpuBar});
}

/** @param {CompletedRecord} record @returns {Bar[]} none if no CPU time is known */
function cpuBar(record) {
  const micros = roles.map((role) => record.cpu[role]?.microsPerMessage ?? null);
  if (micros.every((one) => one === null)) return [];
  const each = roles.flatMap((role, index) => {
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

/** Without a broker, or where it is not known what that takes, a way is one part. */
const plainParts = ["to the server's handler", 'in the handler', 'back to the client'];
const partsByBroker = [
  ...['to the broker', 'in the broker', "to the server's handler"],
  'in the handler',
  ...['back to the broker', 'in the broker again', 'back to the client'],
];

/**
 * What the mean round trips consist of, of the cells that were measured with --anatomy.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
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

/** @param {CompletedRecord} record @param {readonly string[]} parts @returns {Bar[]} none without --anatomy */
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

/** The means of the parts; a way that is not divided has the place of its last part. @param {NonNullable<CompletedRecord['anatomy']>} anatomy @param {readonly string[]} parts */
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
