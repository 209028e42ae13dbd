import {gammaln, mean, sampleStandardDeviation} from 'simple-statistics';

/**
 * Returns the 95 % confidence interval of a mean over trials.
 *
 * @param {readonly number[]} values one per trial, above zero
 * @returns {Interval | null} null for a single trial, which has no spread, and if a value is not above zero
 *
 * @typedef {[low: number, high: number]} Interval
 */
export function interval95(values) {
  return values.length === 0 ? null : intervalAround(mean([...values]), values);
}

/**
 * Returns the 95 % interval of an estimate over trials: from estimate / f to estimate × f, where ln f is the half-width of Student's t interval
 * of the logarithms of the trials' values. The interval is always positive. Its centre is the estimate, such as the mean of the trial means.
 * The interval of the logarithms alone would be that of the geometric mean, which is below the mean. docs/evidence/accuracy.md has the coverage.
 * @param {number} estimate from all trials together, above zero @param {readonly number[]} values one per trial, above zero
 * @returns {Interval | null} null for fewer than two trials, and if a value is not above zero
 */
export function intervalAround(estimate, values) {
  if (values.length < 2 || !values.every((value) => value > 0)) return null;
  const factor = Math.exp(halfWidth95(values.map(Math.log)));
  return [estimate / factor, estimate * factor];
}

/**
 * Returns Student's 95 % t interval of a mean over trials. The values, such as differences, may be zero or negative.
 * @param {readonly number[]} values one per trial @returns {Interval | null} null for fewer than two trials
 */
export function intervalOfDifferences(values) {
  if (values.length < 2) return null;
  const centre = mean([...values]);
  const half = halfWidth95(values);
  return [centre - half, centre + half];
}

/** Returns half the width of Student's 95 % interval of a mean. @param {readonly number[]} values at least two */
export function halfWidth95(values) {
  const standardError = sampleStandardDeviation([...values]) / Math.sqrt(values.length);
  return studentQuantile(0.975, values.length - 1) * standardError;
}

/** Each halving adds one binary digit, so this number reaches the precision of a double. */
const halvings = 60;

/**
 * Returns the quantile of Student's t distribution. The degrees of freedom need not be whole; those of Welch are not. The function solves
 * P(|T| ≤ t) = I_y(1/2, ν/2) with y = t² / (ν + t²) for y by bisection. I is the regularised incomplete beta function (Abramowitz and
 * Stegun, Handbook of Mathematical Functions, 1964, 26.7.1). The relative error is below 1e-9.
 * @param {number} probability that T is at most the quantile; 0.5 to 1, exclusive @param {number} degrees of freedom ν, above 0
 */
export function studentQuantile(probability, degrees) {
  const within = 2 * probability - 1;
  let low = 0;
  let high = 1;
  for (let halving = 0; halving < halvings; halving += 1) {
    const middle = (low + high) / 2;
    if (incompleteBeta(middle, 0.5, degrees / 2) < within) low = middle;
    else high = middle;
  }
  return Math.sqrt((degrees * high) / (1 - high));
}

/** The continued fraction converges fast on this side of the mean of the beta distribution; the other side follows by symmetry. */
function incompleteBeta(/** @type {number} */ x, /** @type {number} */ a, /** @type {number} */ b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x < (a + 1) / (a + b + 2) ? lowerPart(x, a, b) : 1 - lowerPart(1 - x, b, a);
}

/** Computes Abramowitz and Stegun, 26.5.8, multiplied by its factor. @param {number} x @param {number} a @param {number} b */
function lowerPart(x, a, b) {
  const logFactor =
    gammaln(a + b) - gammaln(a) - gammaln(b) + a * Math.log(x) + b * Math.log1p(-x) - Math.log(a);
  return Math.exp(logFactor) * continuedFraction(x, a, b);
}

const tolerance = 1e-14;
const maxTerms = 10_000;

/**
 * Uses the modified method of Lentz (Press et al., Numerical Recipes, 3rd edition, 2007, sections 5.2 and 6.4).
 * @param {number} x @param {number} a @param {number} b
 */
function continuedFraction(x, a, b) {
  let c = 1;
  let d = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= maxTerms; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / notZero(1 + even * d);
    c = notZero(1 + even / c);
    value *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / notZero(1 + odd * d);
    c = notZero(1 + odd / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < tolerance) break;
  }
  return value;
}

/** @param {number} value */
function notZero(value) {
  return Math.abs(value) < 1e-300 ? 1e-300 : value;
}
