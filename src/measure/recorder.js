import {Histogram} from '../stats/histogram.js';
import {medianOf} from './median.js';
import {SubWindows} from './sub-windows.js';

/** The samples that fit into the array: 1 MiB, more than a trial with default settings has. */
const defaultCapacity = 131_072;
/** The samples that move at a time when the array is full, between two requests: about 0.2 ms. */
const sliceLength = 1024;

/**
 * Records round-trip times in an array of fixed size, without allocations. When the array is full, the oldest samples move
 * into the histogram, a slice at a time, between two requests. The rest follows after the trial. So memory does not grow with
 * the length of a run.
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

  /** @returns {number} the number of recorded samples */
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
   * The median of the newest samples, for the warm-up.
   * @param {number} from the index of the window's first sample; samples that have left the array are ignored
   * @returns {number} in ms; NaN for an empty window
   */
  medianSince(from) {
    const first = Math.max(from, this.moved);
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

  /** @returns {number[] | null} after `finish`: the means in ms of ten parts of the samples; null when there are too few */
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
