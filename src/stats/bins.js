/** @import {Histogram} from './histogram.js' */

/** Edges within a decade, coarse to fine: the preferred numbers E6, E12 and E24 (IEC 60063). */
const series = [
  [10, 15, 22, 33, 47, 68],
  [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82],
  [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91],
];

/** A finer series is used if there would be fewer. */
const minBins = 10;

/**
 * The samples of a histogram in bins with equal widths on a logarithmic scale, and round edges.
 *
 * @param {Histogram} histogram of at least one sample
 * @returns {Bin[]} from the one of the smallest to that of the largest, those without samples included
 *
 * @typedef {{fromNs: number, count: number}} Bin fromNs: its lower edge; its samples may be lower or higher by the 0.1 % that a bucket has
 */
export function binsOf(histogram) {
  const all = series.map((one) => emptyBins(one, histogram));
  const bins = all.find(({length}) => length >= minBins) ?? all[all.length - 1];
  for (const {valueNs, count} of histogram.buckets()) {
    // The first bucket may begin below the smallest sample, and so below the first edge.
    const bin = bins.findLast(({fromNs}) => fromNs <= valueNs) ?? bins[0];
    bin.count += count;
  }
  return bins;
}

/** @param {readonly number[]} tens edges of a decade, times ten @param {Histogram} histogram @returns {Bin[]} */
function emptyBins(tens, {minimum, maximum}) {
  const first = Math.floor(Math.log10(Math.max(1, minimum))) - 1;
  const last = Math.floor(Math.log10(Math.max(1, maximum)));
  const edges = Array.from({length: last - first + 1}, (_, index) => first + index).flatMap((decade) =>
    tens.map((ten) => Number(`${ten}e${decade - 1}`)),
  );
  const begin = edges.findLastIndex((edge) => edge <= Math.max(1, minimum));
  const end = edges.findLastIndex((edge) => edge <= Math.max(1, maximum));
  return edges.slice(begin, end + 1).map((fromNs) => ({fromNs, count: 0}));
}
