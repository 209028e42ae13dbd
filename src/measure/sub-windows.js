/** The parts that the samples of a trial are divided into, to see whether they became faster. */
const parts = 10;
/** With fewer samples a part would hold one. */
const minSamples = 2 * parts;
/** When this many sums are full, neighbours are added, so that memory does not grow with the length of a run. */
const maxSums = 1024;

/**
 * Divides the samples of a run into ten parts of equal numbers of samples, although their number is only known at the end. It keeps sums of
 * consecutive samples. Up to 1024 samples the parts are exact; beyond, a boundary within a sum counts its share of the sum, which is at most
 * a fiftieth of a part.
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

  /** @returns {number[] | null} the mean of each part; null when there are too few samples */
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

  /** @param {number} samples the first ones, perhaps a part of one sum @returns {number} */
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
 * The windows of several clients that began together, or of several kinds of samples: each weighs as many samples as it has.
 * @param {readonly {windows: readonly number[] | null | undefined, samples: number}[]} list
 * @returns {number[] | null} null when none has windows
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
