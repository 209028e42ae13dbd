import {
  cpu,
  floor,
  guarantee,
  max,
  mean,
  p50,
  p99,
  percentile,
  plainRate,
  rate,
  standing,
} from '../../columns/columns.js';
import {formatCpuPercent, formatMs, formatVerdict} from '../../columns/figures.js';
import {formatBytes} from '../../payload/bytes.js';
import {coreDistanceOf, processesOf} from '../../results/comparable.js';
import {sumOfKnown} from '../../stats/numbers.js';
import {tableOf} from './blocks.js';
import {facilitatorOf, versionRemarksIn} from './result-rows.js';

/**
 * @import {Column} from '../../columns/column.js'
 * @import {CompletedRecord} from '../../results/record-schema.js'
 */

/** @typedef {Pick<Column, 'heading' | 'cell' | 'isShown'>} DetailColumn */

/** Figures that the records of all workloads have. @type {readonly (DetailColumn & Pick<Column, 'inDetail'>)[]} */
const common = [
  mean,
  {heading: 'min', cell: ({rtt}) => formatMs(rtt?.minMs ?? null)},
  p50,
  percentile('p90', 'p90Ms', 0),
  percentile('p95', 'p95Ms', 0),
  p99,
  percentile('p99.9', 'p999Ms', 0),
  max,
  {heading: 'n', cell: ({rtt, counts}) => String(rtt?.samples ?? counts.received)},
  {heading: 'trials', cell: ({trials}) => String(trials.filter(({used}) => used).length)},
  rate,
  floor,
  standing,
  guarantee,
  cpu,
  {heading: 'CPU % client / server (/ broker)', cell: formatCpuPercent},
  {
    heading: 'lost time %',
    cell: ({trials}) =>
      formatNumber(percentOf(maxOf(trials.map(({used, lostShare}) => (used ? lostShare : null)))), 1),
    isShown: (records) => records.some(({trials}) => trials.some(({lostShare}) => lostShare !== null)),
  },
  {
    heading: 'start skew (ms)',
    cell: ({trials}) => formatNumber(startSkewMs(trials), 1),
    isShown: (records) => records.some(({trials}) => startSkewMs(trials) !== null),
  },
  {
    heading: 'cores client / server / broker',
    cell: (record) => (record.placement === null ? 'n/a' : describeCores(record.placement, record)),
    isShown: (records) => records.some(({placement}) => placement !== null),
  },
  {
    heading: 'datagrams sent again',
    cell: ({trials}) => formatNumber(sentAgain(trials), 0),
    isShown: (records) => records.some(({trials}) => sentAgain(trials) !== null),
  },
  ofRoles('GC %', ({gcMs}, processMs) => percentOf(gcMs === null ? null : gcMs / processMs), 1),
  ofRoles('max loop delay (ms)', ({loopDelayMaxMs}) => loopDelayMaxMs, 1),
  ofRoles('changes of core', ({migrations}) => migrations, 0),
];

/** @param {NonNullable<CompletedRecord['placement']>} placement @param {CompletedRecord} record */
function describeCores({client, server, broker, threads}, record) {
  const {coreState: state} = record;
  const distanceNs = coreDistanceOf(record);
  const cores = [client, server, broker].map((list) => list?.join(', ') ?? 'any').join(' / ');
  const remarks = [
    ...(threads === 'main' ? ['main threads'] : []),
    ...(state && state !== 'sleeping' ? [state] : []),
    ...(distanceNs === null ? [] : [`${distanceNs} ns apart`]),
  ];
  return remarks.length > 0 ? `${cores} (${remarks.join(', ')})` : cores;
}

/**
 * Returns a column with a figure of the client and of the server. It is left out if no record has the figure.
 * @param {string} heading
 * @param {(role: NonNullable<CompletedRecord['interference']['client']>, processMs: number) => number | null} figureOf processMs: the time of all trials
 *   that count, for each process of the role
 * @param {number} decimals @returns {DetailColumn}
 */
function ofRoles(heading, figureOf, decimals) {
  return {
    heading: `${heading} client / server`,
    cell: ({interference: {client, server}, trials, variant}) => {
      const wallMs = trials.filter(({used}) => used).reduce((sum, trial) => sum + trial.wallMs, 0);
      const figures = [
        client && figureOf(client, wallMs * processesOf('client', variant)),
        server && figureOf(server, wallMs * processesOf('server', variant)),
      ];
      return figures.map((figure) => formatNumber(figure, decimals)).join(' / ');
    },
    isShown: (records) =>
      records.some(({interference: {client, server}}) => client !== null || server !== null),
  };
}

/** @param {CompletedRecord['trials']} trials @returns {number | null} the largest skew; null for one client */
function startSkewMs(trials) {
  return maxOf(trials.map(({used, startSkewMs}) => (used ? startSkewMs : null)));
}

/** @param {CompletedRecord['trials']} trials @returns {number | null} of all trials that count; null where TCP retransmits */
function sentAgain(trials) {
  return sumOfKnown(
    trials.filter(({used}) => used),
    'retransmissions',
  );
}

/** @param {number | null} value @param {number} decimals */
function formatNumber(value, decimals) {
  return value === null ? 'n/a' : value.toFixed(decimals);
}

/** @param {number | null} share */
function percentOf(share) {
  return share === null ? null : share * 100;
}

/** @param {readonly (number | null)[]} values @returns {number | null} null if none is known */
function maxOf(values) {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

/**
 * Returns all columns of `table --detail`: the identity of each record, its figures, and its verdict.
 * @param {readonly CompletedRecord[]} records @returns {DetailColumn[]}
 */
export function detailColumns(records) {
  return [
    ...identityIn(records),
    ...detailFigures(records),
    {heading: 'Verdict', cell: ({verdict}) => formatVerdict(verdict)},
  ];
}

/** @param {readonly CompletedRecord[]} records @returns {DetailColumn[]} */
function identityIn(records) {
  const versionsOf = versionRemarksIn(records);
  return [
    {heading: 'Workload', cell: (record) => tableOf(record).name},
    {
      heading: 'Transport',
      cell: (record) => facilitatorOf([{...record, verdict: {status: 'valid', warnings: []}}], versionsOf),
    },
    {heading: 'Persistent', cell: ({labels}) => labels.persistent},
    {heading: 'Environment', cell: ({environment}) => environment},
    {heading: 'Machine', cell: ({machine}) => machine},
    {heading: 'Payload Size', cell: ({payloadBytes}) => formatBytes(payloadBytes)},
  ];
}

/**
 * Returns the figures of `--detail`: the common figures, and the columns of the records' own tables.
 * @param {readonly CompletedRecord[]} records @returns {DetailColumn[]}
 */
export function detailFigures(records) {
  const tables = [...new Set(records.map(tableOf))];
  const inCommon = new Set([...common, plainRate]);
  const own = [...new Set(tables.flatMap(({columns}) => columns))].filter((column) => !inCommon.has(column));
  return [...common.map(inDetail), ...own.map(ofOwnTable)].filter(({isShown}) => isShown?.(records) ?? true);
}

/** @param {Column} column @returns {DetailColumn} */
function ofOwnTable(column) {
  const {heading, cell, isShown} = inDetail(column);
  return {
    heading,
    cell: (record, standing) => (tableOf(record).columns.includes(column) ? cell(record, standing) : 'n/a'),
    isShown: isShown ?? (() => true),
  };
}

/** @param {DetailColumn & Pick<Column, 'inDetail'>} column @returns {DetailColumn} */
function inDetail({inDetail: other, ...column}) {
  return {...column, ...other};
}
