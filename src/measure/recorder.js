import {Histogram} from '../stats/histogram.js';
import {medianOf} from './median.js';

/** Samples that are kept before any has to be moved into the histogram: 1 MiB, more than a default trial makes. */
const usualCapacity = 131_072;
/** Samples moved at a time when the array is full, between two requests: about 0.2 ms. */
const sliceLength = 1024;

/**
 * Takes one round-trip time after the other into an array of fixed size, without allocating. When the array is full a
 * slice of the oldest is moved into the histogram, between two requests; the rest follows when the trial is over. So memory
 * does not grow with the length of a run.
 */
export class Recorder {
  /** @param {number} [capacity] samples that are kept before any has to be moved */
  constructor(capacity = usualCapacity) {
    this.capacity = capacity;
    this.samples = new Float64Array(capacity);
    this.written = 0;
    /** Where the next sample goes. */
    this.next = 0;
    this.moved = 0;
    this.histogram = new Histogram();
  }

  /** @returns {number} how many samples were recorded */
  get count() {
    return this.written;
  }

  /** @param {number} milliseconds as two reads of performance.now() differ */
  record(milliseconds) {
    this.samples[this.next] = milliseconds;
    this.next += 1;
    if (this.next === this.capacity) this.next = 0;
    this.written += 1;
    if (this.written - this.moved === this.capacity) this.#move(sliceLength);
  }

  /**
   * Median of the newest samples, for the warm-up.
   * @param {number} from count of samples at which the window begins; at most as many as are kept are looked at
   * @returns {number} in ms; NaN when there are none
   */
  medianSince(from) {
    const first = Math.max(from, this.moved);
    const window = new Float64Array(this.written - first);
    for (let index = 0; index < window.length; index += 1)
      window[index] = this.samples[(first + index) % this.capacity];
    return medianOf(window);
  }

  /** Forgets everything, keeping the memory. */
  reset() {
    this.written = 0;
    this.next = 0;
    this.moved = 0;
    this.histogram = new Histogram();
  }

  /** @returns {Histogram} of all samples */
  finish() {
    this.#move(this.written - this.moved);
    return this.histogram;
  }

  /** @param {number} length */
  #move(length) {
    const end = this.moved + length;
    for (; this.moved < end; this.moved += 1)
      this.histogram.add(this.samples[this.moved % this.capacity] * 1e6);
  }
}
