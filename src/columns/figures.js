import {verdictOfRatio} from '../stats/thresholds.js';
import {roundedTo, roundedWithInterval, toSignificant} from './digits.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Interval, Ratio, Standing} from './column.js'
 */

/** The format of all printed figures. Null is printed as n/a, never as zero. */

/** Of a time in ms: 100 ns, the resolution of the results table. */
const maxDecimalsOfMs = 4;
const maxDecimalsOfRatio = 2;
/** Of a figure without an interval. HDR histograms keep three significant digits. */
const digitsWithoutInterval = 3;

/** @param {number | null} value in ms; four decimals, as in the published tables */
export function formatMs(value) {
  return value === null ? 'n/a' : value.toFixed(maxDecimalsOfMs);
}

/**
 * A time in ms with no more digits than its interval justifies.
 * @param {number | null} value @param {Interval | null} [interval]
 */
export function formatShortMs(value, interval = null) {
  if (value === null) return 'n/a';
  return interval === null
    ? toSignificant(value, digitsWithoutInterval, maxDecimalsOfMs)
    : roundedTo(value, interval, maxDecimalsOfMs);
}

/**
 * A time in ms with four decimals and both ends of its interval: 0.2290 [0.2180, 0.2410].
 * @param {number | null} value @param {Interval | null} [interval]
 */
export function formatMsWithEnds(value, interval = null) {
  return interval === null ? formatMs(value) : `${formatMs(value)} ${endsOf(interval, formatMs)}`;
}

/**
 * The mean with the larger half of its interval, 0.767 ± 0.012, or with both ends of a wide one: 63 [9.1, 430].
 * @param {{meanMs: number | null, ci95Ms: Interval | null}} rtt
 */
export function formatMean({meanMs, ci95Ms}) {
  if (meanMs === null) return formatMs(null);
  return formatInterval(meanMs, ci95Ms, {maxDecimals: maxDecimalsOfMs, format: formatShortMs});
}

/** A rate with the larger half of its interval, 12340 ± 70, or with both ends of a wide one. @param {Rate} throughput */
export function formatRateMean({messagesPerSecond, ci95MessagesPerSecond}) {
  const maxDecimals = decimalsOfRate(messagesPerSecond);
  return formatInterval(messagesPerSecond, ci95MessagesPerSecond, {maxDecimals, format: formatRate});
}

/** @typedef {{messagesPerSecond: number, ci95MessagesPerSecond: Interval | null}} Rate */

/** A rate with no more digits than its interval justifies. @param {Rate} throughput */
export function formatShortRate({messagesPerSecond, ci95MessagesPerSecond}) {
  return ci95MessagesPerSecond === null
    ? formatRate(messagesPerSecond)
    : roundedTo(messagesPerSecond, ci95MessagesPerSecond, decimalsOfRate(messagesPerSecond));
}

/** A rate with both ends of its interval: 12345 [12280, 12411]. @param {Rate} throughput */
export function formatRateWithEnds({messagesPerSecond, ci95MessagesPerSecond}) {
  const rate = formatRate(messagesPerSecond);
  return ci95MessagesPerSecond === null ? rate : `${rate} ${endsOf(ci95MessagesPerSecond, formatRate)}`;
}

/**
 * @param {number} value @param {Interval | null} interval
 * @param {{maxDecimals: number, format: (value: number) => string}} how format: of a figure without an interval
 */
function formatInterval(value, interval, {maxDecimals, format}) {
  if (interval === null) return `${format(value)} ± n/a`;
  const rounded = roundedWithInterval(value, interval, maxDecimals);
  return rounded.isSymmetric
    ? `${rounded.value} ± ${rounded.half}`
    : `${rounded.value} [${rounded.ends.join(', ')}]`;
}

/** @param {Interval} interval @param {(end: number) => string} format */
function endsOf([low, high], format) {
  return `[${format(low)}, ${high >= Number.MAX_VALUE ? '∞' : format(high)}]`;
}

/** @param {number} value with one decimal below 100, three significant digits below 1 */
export function formatRate(value) {
  if (value >= 100) return String(Math.round(value));
  return value >= 1 || value === 0 ? value.toFixed(1) : String(Number(value.toPrecision(3)));
}

/** @param {number} value */
function decimalsOfRate(value) {
  if (value >= 100) return 0;
  return value >= 1 ? 1 : 2 - Math.floor(Math.log10(value));
}

/**
 * A ratio with its interval: 3.6× [3.4, 3.8]. Old records have no interval, and that of the floor to itself has no width.
 * @param {Ratio} ratio
 */
export function formatRatio({ratio, ratioCi95 = null}) {
  if (!ratioCi95 || ratioCi95[0] === ratioCi95[1])
    return `${toSignificant(ratio, digitsWithoutInterval, maxDecimalsOfRatio)}×`;
  const {value, ends} = roundedWithInterval(ratio, ratioCi95, maxDecimalsOfRatio);
  return `${value}× [${ends.join(', ')}]`;
}

/** The same of a ratio as statistics have it. @param {{ratio: number, ci95: [low: number, high: number] | null} | null} own */
export function formatOwnRatio(own) {
  return own === null ? 'n/a' : formatRatio({ratio: own.ratio, ratioCi95: own.ci95});
}

/** A ratio with the digits that its interval justifies: 3.6×. Of a wide interval the ends follow. @param {Ratio} ratio */
export function formatShortRatio({ratio, ratioCi95 = null}) {
  const isNarrow = ratioCi95 && roundedWithInterval(ratio, ratioCi95, maxDecimalsOfRatio).isSymmetric;
  return isNarrow ? `${roundedTo(ratio, ratioCi95, maxDecimalsOfRatio)}×` : formatRatio({ratio, ratioCi95});
}

/** A ratio with three decimals, and its interval, for `--detail`: 3.600× [3.456, 3.744]. @param {Ratio} ratio */
export function formatRatioWithEnds({ratio, ratioCi95 = null}) {
  const format = (/** @type {number} */ value) => value.toFixed(3);
  return ratioCi95 ? `${format(ratio)}× ${endsOf(ratioCi95, format)}` : `${format(ratio)}×`;
}

/** Whether a ratio shows a difference. Without an interval it shows nothing. @param {Ratio} ratio */
export function isDifferenceShown({ratio, ratioCi95 = null}) {
  return verdictOfRatio({ratio, ci95: ratioCi95}) !== notShown;
}

const notShown = 'no difference shown';

/** What follows a ratio that may be wrong. The column of the verdict is about the figure itself. @param {Ratio} ratio */
export function markOf({verdict = null}) {
  return verdict?.status === 'suspect' ? ' ?' : '';
}

/** @param {Standing} standing */
export function formatStanding(standing) {
  if (standing === null || typeof standing === 'string') return standing ?? 'n/a';
  const {ratioCi95} = standing;
  // The interval of the floor's ratio to itself has no width.
  const isOpen = ratioCi95 && ratioCi95[0] !== ratioCi95[1] && !isDifferenceShown(standing);
  const text = isOpen ? 'no diff. shown' : formatRatio(standing);
  return `${text}${markOf(standing)}`;
}

/** A ratio without its interval: 3.6×. Where that shows no difference, its upper end: ≤2.4×. @param {Standing} standing */
export function formatBriefRatio(standing) {
  if (standing === null || typeof standing === 'string') return standing ?? 'n/a';
  const {ratio, ratioCi95 = null} = standing;
  const mark = markOf(standing).trim();
  if (!ratioCi95 || isDifferenceShown(standing) || ratioCi95[0] === ratioCi95[1])
    return `${formatRatio(standing).split(' ')[0]}${mark}`;
  const [, high] = roundedWithInterval(ratio, ratioCi95, maxDecimalsOfRatio).ends;
  return `≤${high}×${mark}`;
}

/** @param {Standing} standing */
export function formatStandingWithEnds(standing) {
  if (standing === null || typeof standing === 'string') return standing ?? 'n/a';
  const ratio = `${formatRatioWithEnds(standing)}${markOf(standing)}`;
  return isDifferenceShown(standing) ? ratio : `${ratio} (${notShown})`;
}

/**
 * CPU time per message of all roles together, in µs. A ≥ marks a sum that lacks a role whose CPU time is unknown. A role that handled no
 * message, such as a server behind a cache that answers everything, adds nothing.
 * @param {CompletedRecord} record
 */
export function formatCpu({cpu, hosts, variant}) {
  const hasServer = cpu.server !== null || (variant.servers !== undefined && !cpu.serverInClient);
  const roles = [
    cpu.client,
    ...(hasServer ? [cpu.server] : []),
    ...(hosts.broker === null ? [] : [cpu.broker]),
  ];
  const known = roles.filter((role) => role !== null);
  if (known.every(({microsPerMessage}) => microsPerMessage === null)) return 'n/a';
  const total = formatRate(known.reduce((sum, {microsPerMessage}) => sum + (microsPerMessage ?? 0), 0));
  return known.length < roles.length ? `≥ ${total}` : total;
}

/** CPU of client, server and broker in per cent of one core; n/a if it is unknown. @param {CompletedRecord} record */
export function formatCpuPercent({cpu, hosts}) {
  const roles = [cpu.client, cpu.server, ...(hosts.broker === null ? [] : [cpu.broker])];
  return roles.map((role) => (role?.percent == null ? 'n/a' : role.percent.toFixed(0))).join(' / ');
}

/** @param {{status: string, warnings: readonly {code: string}[]}} verdict */
export function formatVerdict({status, warnings}) {
  return warnings.length === 0 ? status : `${status}: ${warnings.map(({code}) => code).join(', ')}`;
}
