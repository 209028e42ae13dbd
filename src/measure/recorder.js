import {Histogram} from '../stats/histogram.js';

/** @import {Counts} from './types.js' */

/** The number of samples that fit into the array. They take 1 MiB, and a trial with default settings has fewer. */
const defaultCapacity = 131_072;
/** The number of samples that move at a time when the array is full. Moving them takes about 0.2 ms. */
const sliceLength = 1024;

/**
 * Records round-trip times in an array of fixed size, without allocations. When the array is full, a slice of the oldest samples moves
 * into the histogram between two requests. The remaining samples move after the trial, so memory does not grow with the length of a run.
 */
export class Recorder {
  /** @param {number} [capacity] samples that fit into the array */
  constructor(capacity = defaultCapacity) {
    this.capacity = capacity;
    this.samples = new Float64Array(capacity);
    this.written = 0;
    /** The index of the next sample. */
    this.next = 0;
    this.moved = 0;
    this.histogram = new Histogram();
    this.subWindows = new SubWindows();
  }

  get count() {
    return this.written;
  }

  /** @param {number} milliseconds the difference of two reads of performance.now() */
  record(milliseconds) {
    this.samples[this.next] = milliseconds;
    this.next += 1;
    if (this.next === this.capacity) this.next = 0;
    this.written += 1;
    if (this.written - this.moved === this.capacity) this.#move(sliceLength);
  }

  /**
   * Returns the median of the newest samples, for the warm-up.
   * @param {number} from the index of the window's first sample; samples that have left the array are ignored
   * @returns {number} ms; NaN for an empty window
   */
  medianSince(from) {
    const first = Math.max(from, this.written - this.capacity, 0);
    const window = new Float64Array(this.written - first);
    for (let index = 0; index < window.length; index += 1)
      window[index] = this.samples[(first + index) % this.capacity];
    return medianOf(window);
  }

  /** Discards all samples and keeps the array. */
  reset() {
    this.written = 0;
    this.next = 0;
    this.moved = 0;
    this.histogram = new Histogram();
    this.subWindows = new SubWindows();
  }

  /** @returns {Histogram} of all samples */
  finish() {
    this.#move(this.written - this.moved);
    return this.histogram;
  }

  /** @returns {number[] | null} after `finish`, the means in ms of ten parts of the samples; null for fewer than 20 samples */
  windows() {
    return this.subWindows.means();
  }

  /** @param {number} length */
  #move(length) {
    const end = this.moved + length;
    for (; this.moved < end; this.moved += 1) {
      const sample = this.samples[this.moved % this.capacity];
      this.histogram.add(sample * 1e6);
      this.subWindows.add(sample);
    }
  }
}

/**
 * Returns a median. A role needs it in the warm-up of an open loop, and the import of simple-statistics would cost the role about 15 ms of CPU.
 * @param {ArrayLike<number>} values
 * @returns {number} NaN without values
 */
export function medianOf(values) {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The number of parts of a trial, which show whether its samples became faster. */
const parts = 10;
/** With fewer samples, some parts would have one sample only. */
const minSamples = 2 * parts;
/** When this many sums are full, neighbours are added, so that memory does not grow with the length of a run. */
const maxSums = 1024;

/**
 * Divides the samples of a run into ten parts of equally many samples, although their number is known at the end only. The class keeps sums of
 * consecutive samples. The parts are exact up to 1024 samples. Beyond, a sum that contains a boundary is divided proportionally; such a sum is at
 * most a fiftieth of a part.
 */
export class SubWindows {
  constructor() {
    this.sums = new Float64Array(maxSums);
    /** Samples in each full sum. */
    this.length = 1;
    this.full = 0;
    /** Samples in the sum after the full ones. */
    this.rest = 0;
  }

  /** @param {number} value */
  add(value) {
    this.sums[this.full] += value;
    this.rest += 1;
    if (this.rest < this.length) return;
    this.full += 1;
    this.rest = 0;
    if (this.full === maxSums) this.#halve();
  }

  /** @returns {number[] | null} the mean of each part; null for fewer than 20 samples */
  means() {
    const count = this.full * this.length + this.rest;
    if (count < minSamples) return null;
    const totals = Array.from({length: parts + 1}, (_, part) => this.#totalOf((part * count) / parts));
    return totals.slice(1).map((total, part) => ((total - totals[part]) * parts) / count);
  }

  #halve() {
    for (let index = 0; index < maxSums / 2; index += 1)
      this.sums[index] = this.sums[2 * index] + this.sums[2 * index + 1];
    this.sums.fill(0, maxSums / 2);
    this.length *= 2;
    this.full = maxSums / 2;
  }

  /** @param {number} samples the number of first samples, possibly a fraction */
  #totalOf(samples) {
    const whole = Math.min(this.full, Math.floor(samples / this.length));
    let total = 0;
    for (let index = 0; index < whole; index += 1) total += this.sums[index];
    const left = samples - whole * this.length;
    if (left === 0) return total;
    return total + (this.sums[whole] * left) / (whole < this.full ? this.length : this.rest);
  }
}

/**
 * Merges the windows of clients that began together, or of several kinds of samples, weighted by their numbers of samples.
 * @param {readonly {windows: readonly number[] | null | undefined, samples: number}[]} list
 * @returns {number[] | null} null if no entry has windows
 */
export function mergeWindows(list) {
  const some = list.flatMap(({windows, samples}) => (windows ? [{windows, samples}] : []));
  if (some.length === 0) return null;
  const total = some.reduce((sum, {samples}) => sum + samples, 0);
  return Array.from(
    {length: parts},
    (_, part) => some.reduce((sum, {windows, samples}) => sum + windows[part] * samples, 0) / total,
  );
}
