/**
 * How many digits of a figure are justified. The larger half of its 95 % interval decides: the figure ends at the first digit of that half. Where the
 * half is printed too, it ends at the second digit if the first is a 1, because ± 1 would say too little of 1.0 and 1.9.
 */

/** @import {Interval} from './column.js' */

/** Of an interval that is wider, both ends are printed, because its halves differ too much for one ±. */
const maxSymmetricShare = 0.25;

/**
 * A figure and its interval with matching digits.
 * @param {number} value @param {Interval} interval @param {number} maxDecimals
 * @returns {{value: string, half: string, ends: [low: string, high: string], isSymmetric: boolean}} half: the larger one; isSymmetric: the
 *   interval is narrow enough to be printed as ± half
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
 * A figure that is printed without its interval: with the digits that this justifies, and at least one.
 * @param {number} value @param {Interval} interval @param {number} maxDecimals
 */
export function roundedTo(value, [low, high], maxDecimals) {
  const half = Math.max(value - low, high - value);
  const atLeast = value > 0 ? -exponentOf(value) : 0;
  return toDecimals(value, Math.min(maxDecimals, Math.max(atLeast, decimalsOf(half))));
}

/**
 * A figure with a number of significant digits, without an exponent.
 * @param {number} value @param {number} digits @param {number} maxDecimals
 */
export function toSignificant(value, digits, maxDecimals) {
  if (value >= Number.MAX_VALUE) return '∞';
  if (value === 0) return '0';
  return toDecimals(value, Math.min(maxDecimals, digits - 1 - exponentOf(value)));
}

/** @param {number} half @returns {number} those up to its first digit; negative: tens, hundreds */
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

/** @param {number} value @param {number} decimals negative: rounds to tens, hundreds */
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
 * A time in a suitable unit, with four significant digits: 850.0 ns, 5.627 µs, 78.16 ms, 3600 s. It is rounded before the unit is chosen,
 * so that 999.96 ns is 1.000 µs and not 1000 ns.
 * @param {number | null} nanoseconds not negative
 * @returns {string} n/a for null
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
