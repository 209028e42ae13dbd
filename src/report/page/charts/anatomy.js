import {formatShortMs} from '../../../columns/figures.js';
import {nameOfVariant} from '../../../columns/names.js';
import {linearAxis} from '../../charts/axis.js';
import {barsDrawing, cellText, chartPerSize, formatMark} from './series.js';

/**
 * @import {Bar} from '../../charts/bar-chart.js'
 * @import {CompletedRecord} from '../../../results/record-schema.js'
 * @import {Chart} from './series.js'
 */

/** Without a broker, or where it is not known what that takes, a way is one part. */
const plainParts = ["to the server's handler", 'in the handler', 'back to the client'];
const partsByBroker = [
  ...['to the broker', 'in the broker', "to the server's handler"],
  'in the handler',
  ...['back to the broker', 'in the broker again', 'back to the client'],
];

/**
 * What the mean round trips consist of, of the cells that were measured with --anatomy: a chart for each payload size.
 * @param {readonly CompletedRecord[]} records of one table
 * @param {{name: string}} table
 * @returns {Chart[]}
 */
export function anatomyOfMeans(records, {name}) {
  const what = {
    table: name,
    id: 'anatomy',
    title: 'Latency breakdown: what the mean round trip consists of',
    note: "The server's handler computes the reply. Everything else is part of a way: libraries, kernel, network, broker.",
  };
  return chartPerSize(records, what, (block, title) => {
    const isBrokerSeen = block.some(({anatomy}) => anatomy?.hops);
    const parts = isBrokerSeen ? partsByBroker : plainParts;
    const bars = block.flatMap((record) => barOf(record, parts));
    if (bars.length === 0) return null;
    const sums = bars.map((bar) => bar.parts.reduce((sum, part) => sum + part, 0));
    const x = linearAxis(sums, {label: 'mean round trip, ms', format: formatMark});
    return barsDrawing({title, x, parts, bars});
  });
}

/**
 * @param {CompletedRecord} record
 * @param {readonly string[]} parts
 * @returns {Bar[]} none without --anatomy
 */
function barOf(record, parts) {
  if (!record.anatomy) return [];
  const means = meansOf(record.anatomy, parts);
  const each = means.flatMap((mean, index) =>
    mean === nothing ? [] : `${parts[index]} ${formatShortMs(mean.meanMs, mean.ci95Ms)} ms`,
  );
  return [
    {
      name: nameOfVariant(record.labels),
      parts: means.map(({meanMs}) => Math.max(0, meanMs)),
      values: means.map((mean) => (mean === nothing ? '' : formatShortMs(mean.meanMs, mean.ci95Ms))),
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
