// The index of the package also loads a WebAssembly module, and the reader and the writer of logs. Every client loads this file at its start.
import {createRequire} from 'node:module';

import {clamp} from './numbers.js';

/** @import {JsHistogram} from 'hdr-histogram-js' */

const require = createRequire(import.meta.url);
const {default: Int32Histogram} = require('hdr-histogram-js/dist/Int32Histogram.js');
const {decompress, doDecode} = require('hdr-histogram-js/dist/JsHistogram.encoding.js');

const lowestDiscernibleValue = 1;
const highestTrackableValue = 3.6e12;
const significantDigits = 3;

/** A percentile is reported only if at least this many samples are above it. */
const minSamplesAbove = 10;

/** @param {number} samples number of all samples @param {number} percentile 0 to 100 @param {number} [least] samples above the percentile */
export function hasSamplesAbove(samples, percentile, least = minSamplesAbove) {
  return samples * (1 - percentile / 100) >= least - 1e-9;
}

/**
 * Round-trip times in nanoseconds: an HDR histogram with three significant digits for percentiles, and the exact count, mean,
 * standard deviation, minimum and maximum (an HDR histogram has only the edges of its buckets). The moments use the methods of
 * Welford (Technometrics 4(3), 1962) and, for merging, of Chan (Stanford STAN-CS-79-773, 1979).
 */
export class Histogram {
  constructor() {
    /** @type {JsHistogram} */
    this.hdr = new Int32Histogram(lowestDiscernibleValue, highestTrackableValue, significantDigits);
    this.hdr.autoResize = true;
    this.count = 0;
    this.mean = 0;
    this.sumOfSquares = 0;
    this.minimum = Number.POSITIVE_INFINITY;
    this.maximum = Number.NEGATIVE_INFINITY;
  }

  /** @param {number} nanoseconds */
  add(nanoseconds) {
    this.count += 1;
    const before = nanoseconds - this.mean;
    this.mean += before / this.count;
    this.sumOfSquares += before * (nanoseconds - this.mean);
    if (nanoseconds < this.minimum) this.minimum = nanoseconds;
    if (nanoseconds > this.maximum) this.maximum = nanoseconds;
    this.hdr.recordValue(Math.min(Math.max(1, Math.round(nanoseconds)), highestTrackableValue));
  }

  /** @param {Histogram} other its samples are added to this histogram */
  merge(other) {
    if (other.count === 0) return;
    const count = this.count + other.count;
    const difference = other.mean - this.mean;
    this.sumOfSquares += other.sumOfSquares + (difference * difference * this.count * other.count) / count;
    this.mean += (difference * other.count) / count;
    this.count = count;
    this.minimum = Math.min(this.minimum, other.minimum);
    this.maximum = Math.max(this.maximum, other.maximum);
    this.hdr.add(other.hdr);
  }

  /** @returns {number} standard deviation of the samples in ns; 0 for a single sample */
  get standardDeviation() {
    return this.count > 1 ? Math.sqrt(this.sumOfSquares / (this.count - 1)) : 0;
  }

  /** @param {number} percentile 0 to 100 @returns {number | null} in ns; null if fewer than ten samples are above the percentile */
  percentile(percentile) {
    return hasSamplesAbove(this.count, percentile) ? this.valueAt(percentile) : null;
  }

  /** Returns the percentile, however few samples are above it. @param {number} percentile 0 to 100 @returns {number} in ns */
  valueAt(percentile) {
    const value = this.hdr.getValueAtPercentile(percentile);
    return clamp(value, this.minimum, this.maximum);
  }

  /** @returns {{valueNs: number, count: number}[]} the non-empty buckets in ascending order; valueNs: the lowest value of the bucket */
  buckets() {
    const buckets = [];
    for (let index = 0; index < this.hdr.countsArrayLength; index += 1) {
      const count = this.hdr.getCountAtIndex(index);
      if (count > 0) buckets.push({valueNs: this.hdr.valueFromIndex(index), count});
    }
    return buckets;
  }

  /** @returns {EncodedHistogram} */
  encode() {
    return {
      samples: this.count,
      meanMs: this.mean / 1e6,
      minMs: this.minimum / 1e6,
      maxMs: this.maximum / 1e6,
      stdevMs: this.standardDeviation / 1e6,
      histogram: this.hdr.encodeIntoCompressedBase64(),
    };
  }

  /** @param {EncodedHistogram} encoded */
  static decode({samples, meanMs, minMs, maxMs, stdevMs, histogram: base64}) {
    const histogram = new Histogram();
    histogram.hdr = doDecode(decompress(Buffer.from(base64, 'base64')));
    histogram.count = samples;
    histogram.mean = meanMs * 1e6;
    histogram.sumOfSquares = (stdevMs * 1e6) ** 2 * Math.max(0, samples - 1);
    histogram.minimum = minMs * 1e6;
    histogram.maximum = maxMs * 1e6;
    return histogram;
  }

  /** @param {readonly EncodedHistogram[]} encoded @returns {Histogram} all samples; empty for an empty list */
  static decodeAll(encoded) {
    const merged = new Histogram();
    for (const one of encoded) merged.merge(Histogram.decode(one));
    return merged;
  }
}

/**
 * The stored round trips of a trial. Two of them can be merged without loss.
 *
 * @typedef {object} EncodedHistogram
 * @property {number} samples
 * @property {number} meanMs exact
 * @property {number} minMs exact
 * @property {number} maxMs exact
 * @property {number} stdevMs of the samples
 * @property {string} histogram HdrHistogram V2, compressed, base64, in ns
 */

/** Means are sums of rounded numbers. */
const rounding = 1e-9;
/** Largest relative error of a histogram with three significant digits, plus the difference of another program's histogram. */
const bucketShare = 0.01;
/** The largest unit of a histogram, whose values are whole units. */
const maxUnitNs = 1000;

/**
 * Checks the exact figures of samples for contradictions.
 * @param {Pick<EncodedHistogram, 'samples' | 'meanMs' | 'minMs' | 'maxMs' | 'stdevMs'>} figures
 * @returns {string | null} the field and its error; null if there is none
 */
export function mistakeInFigures({samples, meanMs, minMs, maxMs, stdevMs}) {
  for (const [name, value] of Object.entries({meanMs, minMs, maxMs, stdevMs}))
    if (!(Number.isFinite(value) && value >= 0)) return `${name}: it is ${value}`;
  if (!(Number.isSafeInteger(samples) && samples > 0)) return `samples: it is ${samples}`;
  if (minMs > maxMs) return `minMs: ${minMs} is above maxMs, ${maxMs}`;
  const slackMs = rounding * maxMs;
  if (meanMs < minMs - slackMs || meanMs > maxMs + slackMs)
    return `meanMs: ${meanMs} is not between minMs, ${minMs}, and maxMs, ${maxMs}`;
  // The spread is largest if half of the samples are at each end.
  const maxStdevMs = samples > 1 ? ((maxMs - minMs) / 2) * Math.sqrt(samples / (samples - 1)) : 0;
  if (stdevMs > maxStdevMs * (1 + 1e-6) + slackMs)
    return `stdevMs: ${stdevMs} is more than samples between ${minMs} and ${maxMs} can have`;
  return null;
}

/**
 * Checks stored samples for contradictions: the exact figures, and the histogram.
 * @param {EncodedHistogram} encoded @returns {string | null} the field and its error; null if there is none
 */
export function mistakeInEncoded(encoded) {
  const mistake = mistakeInFigures(encoded);
  if (mistake !== null) return mistake;
  const {samples, meanMs, minMs, maxMs} = encoded;
  const hdr = decoded(encoded);
  if (hdr === null) return 'histogram: it cannot be decoded';
  if (hdr.totalCount !== samples) return `histogram: it has ${hdr.totalCount} samples, not ${samples}`;
  const unitMs = Math.min(hdr.lowestDiscernibleValue, maxUnitNs) / 1e6;
  const isFar = (/** @type {number} */ ns, /** @type {number} */ ms) =>
    Math.abs(ns / 1e6 - ms) > bucketShare * ms + unitMs;
  for (const [name, ns, ms] of /** @type {const} */ ([
    ['meanMs', hdr.mean, meanMs],
    ['minMs', hdr.getValueAtPercentile(0), minMs],
    ['maxMs', hdr.maxValue, maxMs],
  ]))
    if (isFar(ns, ms)) return `histogram: its ${name} is ${ns / 1e6}, not ${ms}`;
  return null;
}

/** @param {EncodedHistogram} encoded */
function decoded(encoded) {
  try {
    return Histogram.decode(encoded).hdr;
  } catch {
    return null;
  }
}
