import {verdictOfRatio} from '../stats/thresholds.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Interval, Ratio, Standing} from './column.js'
 */

/** This file formats all printed figures. Null is printed as n/a, never as zero. */

/** Four decimals of a ms are 100 ns, the resolution of the results table. */
const maxDecimalsOfMs = 4;
const maxDecimalsOfRatio = 2;
/** HDR histograms keep three significant digits. */
const digitsWithoutInterval = 3;

/** A time with four decimals, as in the published tables. @param {number | null} value ms */
export function formatMs(value) {
  return value === null ? 'n/a' : value.toFixed(maxDecimalsOfMs);
}

/** A time in ms with no more digits than its interval justifies. @param {number | null} value @param {Interval | null} [interval] */
export function formatShortMs(value, interval = null) {
  if (value === null) return 'n/a';
  return interval === null
    ? toSignificant(value, digitsWithoutInterval, maxDecimalsOfMs)
    : roundedTo(value, interval, maxDecimalsOfMs);
}

/**
 * A percentile in ms, with the same digits with or without its interval beside it. A rounded percentile that exceeds the largest value has three
 * significant digits, as the largest value has.
 * @param {number | null} value @param {{interval?: Interval | null | undefined, maxMs?: number | null | undefined}} [of] maxMs: the largest value; null if unknown
 */
export function formatPercentile(value, {interval = null, maxMs = null} = {}) {
  if (value === null || interval === null) return formatShortMs(value);
  const {value: rounded} = roundedWithInterval(value, interval, maxDecimalsOfMs);
  const exceeds = maxMs !== null && Number(rounded) > Number(formatShortMs(maxMs));
  return exceeds ? formatShortMs(value) : rounded;
}

/**
 * A time in ms with four decimals and both ends of its interval: 0.2290 [0.2180, 0.2410].
 * @param {number | null} value @param {Interval | null} [interval]
 */
export function formatMsWithEnds(value, interval = null) {
  return interval === null ? formatMs(value) : `${formatMs(value)} ${endsOf(interval, formatMs)}`;
}

/**
 * The mean with the larger half of its interval, 0.767 ± 0.012, or with both ends of a wide interval: 63 [9.1, 430].
 * @param {{meanMs: number | null, ci95Ms: Interval | null}} rtt
 */
export function formatMean({meanMs, ci95Ms}) {
  if (meanMs === null) return formatMs(null);
  return formatInterval(meanMs, ci95Ms, {maxDecimals: maxDecimalsOfMs, format: formatShortMs});
}

/** A rate with the larger half of its interval, 12340 ± 70, or with both ends of a wide interval. @param {Rate} throughput */
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
 * @param {{maxDecimals: number, format: (value: number) => string}} how format: formats a figure without an interval
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

/** Rates below 100 have one decimal, rates below 1 have three significant digits. @param {number} value */
export function formatRate(value) {
  if (value >= 100) return String(Math.round(value));
  return value >= 1 || value === 0 ? value.toFixed(1) : String(Number(value.toPrecision(3)));
}

/** @param {number} value */
function decimalsOfRate(value) {
  if (value >= 100 || value === 0) return 0;
  return value >= 1 ? 1 : 2 - Math.floor(Math.log10(value));
}

/**
 * A ratio with its interval: 3.6× [3.4, 3.8]. Old records have no interval, and the floor's ratio to itself has an interval of no width.
 * @param {Ratio} ratio
 */
export function formatRatio({ratio, ratioCi95 = null}) {
  if (!ratioCi95 || ratioCi95[0] === ratioCi95[1])
    return `${toSignificant(ratio, digitsWithoutInterval, maxDecimalsOfRatio)}×`;
  const {value, ends} = roundedWithInterval(ratio, ratioCi95, maxDecimalsOfRatio);
  return `${value}× [${ends.join(', ')}]`;
}

/** As `formatRatio`, for a ratio of the statistics. @param {{ratio: number, ci95: [low: number, high: number] | null} | null} own */
export function formatOwnRatio(own) {
  return own === null ? 'n/a' : formatRatio({ratio: own.ratio, ratioCi95: own.ci95});
}

/** A ratio with the digits that its interval justifies: 3.6×. The ends of a wide interval follow. @param {Ratio} ratio */
export function formatShortRatio({ratio, ratioCi95 = null}) {
  const isNarrow = ratioCi95 && roundedWithInterval(ratio, ratioCi95, maxDecimalsOfRatio).isSymmetric;
  return isNarrow ? `${roundedTo(ratio, ratioCi95, maxDecimalsOfRatio)}×` : formatRatio({ratio, ratioCi95});
}

/** A ratio with three decimals, and its interval, for `--detail`: 3.600× [3.456, 3.744]. @param {Ratio} ratio */
export function formatRatioWithEnds({ratio, ratioCi95 = null}) {
  const format = (/** @type {number} */ value) => value.toFixed(3);
  return ratioCi95 ? `${format(ratio)}× ${endsOf(ratioCi95, format)}` : `${format(ratio)}×`;
}

/** A ratio without an interval shows no difference. @param {Ratio} ratio */
export function isDifferenceShown({ratio, ratioCi95 = null}) {
  return verdictOfRatio({ratio, ci95: ratioCi95}) !== notShown;
}

const notShown = 'no difference shown';

/** The mark after a suspect ratio. The verdict's column covers only the figure itself. @param {Ratio} ratio */
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

/** A ratio without its interval: 3.6×. If no difference is shown, the upper end of the interval: ≤2.4×. @param {Standing} standing */
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
 * CPU time per message of all roles together, in µs. A sum begins with ≥ if the CPU time of a role is unknown. A role that handled no
 * message, such as a server behind a cache that answers all requests, adds nothing.
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

/** CPU of client, server and broker in per cent of one core. @param {CompletedRecord} record */
export function formatCpuPercent({cpu, hosts}) {
  const roles = [cpu.client, cpu.server, ...(hosts.broker === null ? [] : [cpu.broker])];
  return roles.map((role) => (role?.percent == null ? 'n/a' : role.percent.toFixed(0))).join(' / ');
}

/** The verdict and the codes of its reasons, separated by commas. @param {{status: string, warnings: readonly {code: string}[]}} verdict */
export function listVerdict({status, warnings}) {
  return [...new Set([status, ...warnings.map(({code}) => code)])].join(', ');
}

/** @param {{status: string, warnings: readonly {code: string}[]}} verdict */
export function formatVerdict({status, warnings}) {
  return warnings.length === 0 ? status : `${status}: ${warnings.map(({code}) => code).join(', ')}`;
}

/**
 * The larger half of a 95 % interval decides how many digits of a figure are justified: the figure ends at the first digit of this half. If the
 * half is printed, too, and its first digit is a 1, both end at the second digit, because ± 1 may stand for 1.0 or for 1.9.
 */

/** Both ends of a wider interval are printed, because its halves differ too much for one ±. */
const maxSymmetricShare = 0.25;

/**
 * A figure and its interval with matching digits.
 * @param {number} value @param {Interval} interval @param {number} maxDecimals
 * @returns {{value: string, half: string, ends: [low: string, high: string], isSymmetric: boolean}} half: the larger half; isSymmetric: whether
 *   the interval is narrow enough to be printed as ± half
 */
export function roundedWithInterval(value, [low, high], maxDecimals) {
  const half = Math.max(value - low, high - value);
  const isSymmetric = half <= maxSymmetricShare * Math.abs(value);
  const decimals = Math.min(maxDecimals, decimalsOf(half) + (startsWithOne(half) ? 1 : 0));
  const print = isSymmetric
    ? (/** @type {number} */ figure) => toDecimals(figure, decimals)
    : (/** @type {number} */ figure) => toSignificant(figure, 2, maxDecimals);
  return {value: print(value), half: print(half), ends: [print(low), print(high)], isSymmetric};
}

/**
 * A figure without its interval, with the digits that the interval justifies, and at least one digit.
 * @param {number} value @param {Interval} interval @param {number} maxDecimals
 */
export function roundedTo(value, [low, high], maxDecimals) {
  const half = Math.max(value - low, high - value);
  const atLeast = value > 0 ? -exponentOf(value) : 0;
  return toDecimals(value, Math.min(maxDecimals, Math.max(atLeast, decimalsOf(half))));
}

/** A figure with a number of significant digits, without an exponent. @param {number} value @param {number} digits @param {number} maxDecimals */
export function toSignificant(value, digits, maxDecimals) {
  if (value >= Number.MAX_VALUE) return '∞';
  if (value === 0) return '0';
  return toDecimals(value, Math.min(maxDecimals, digits - 1 - exponentOf(value)));
}

/** @param {number} half @returns {number} the decimals up to the first digit; negative for tens, hundreds */
function decimalsOf(half) {
  return half <= 0 ? Number.POSITIVE_INFINITY : -exponentOf(half);
}

/** @param {number} half */
function startsWithOne(half) {
  return half > 0 && half / 10 ** exponentOf(half) < 2;
}

/** @param {number} value not 0 */
function exponentOf(value) {
  return Math.floor(Math.log10(Math.abs(value)));
}

/** @param {number} value @param {number} decimals a negative number rounds to tens, hundreds */
function toDecimals(value, decimals) {
  if (decimals >= 0) return value.toFixed(decimals);
  const unit = 10 ** -decimals;
  return (Math.round(value / unit) * unit).toFixed(0);
}

const units = [
  {name: 'ns', nanoseconds: 1},
  {name: 'µs', nanoseconds: 1e3},
  {name: 'ms', nanoseconds: 1e6},
];
const seconds = {name: 's', nanoseconds: 1e9};

const significantDigits = 4;

/**
 * A time in a suitable unit, with four significant digits: 850.0 ns, 5.627 µs, 78.16 ms, 3600 s. The time is rounded before the unit is
 * chosen, so that 999.96 ns becomes 1.000 µs instead of 1000 ns.
 * @param {number | null} nanoseconds not negative @returns {string} n/a for null
 */
export function formatTime(nanoseconds) {
  if (nanoseconds === null) return 'n/a';
  if (nanoseconds === 0) return '0 ns';
  const rounded = Number(nanoseconds.toPrecision(significantDigits));
  const unit = units.find((candidate) => rounded < 1000 * candidate.nanoseconds) ?? seconds;
  return `${formatFigure(nanoseconds / unit.nanoseconds)} ${unit.name}`;
}

/** Avoids the exponent that toPrecision uses for whole numbers with more digits. @param {number} value */
function formatFigure(value) {
  const limit = 10 ** significantDigits - 0.5;
  return value >= limit ? value.toFixed(0) : value.toPrecision(significantDigits);
}
