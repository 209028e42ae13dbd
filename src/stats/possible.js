import {Histogram} from './histogram.js';

/** @import {EncodedHistogram} from './histogram.js' */

/** Means are sums of rounded numbers. */
const rounding = 1e-9;
/** By how much the values of a histogram with three significant digits may differ from exact ones, and a program's from ours. */
const bucketShare = 0.01;
/** A histogram holds whole units. */
const maxUnitNs = 1000;

/**
 * What contradicts itself in the exact figures of some samples.
 * @param {Pick<EncodedHistogram, 'samples' | 'meanMs' | 'minMs' | 'maxMs' | 'stdevMs'>} figures
 * @returns {string | null} the field, and what is wrong with it; null: nothing
 */
export function mistakeInFigures({samples, meanMs, minMs, maxMs, stdevMs}) {
  for (const [name, value] of Object.entries({meanMs, minMs, maxMs, stdevMs}))
    if (!(Number.isFinite(value) && value >= 0)) return `${name}: it is ${value}`;
  if (!(Number.isSafeInteger(samples) && samples > 0)) return `samples: it is ${samples}`;
  if (minMs > maxMs) return `minMs: ${minMs} is above maxMs, ${maxMs}`;
  const slackMs = rounding * maxMs;
  if (meanMs < minMs - slackMs || meanMs > maxMs + slackMs)
    return `meanMs: ${meanMs} is not between minMs, ${minMs}, and maxMs, ${maxMs}`;
  // No samples spread wider than half of them at each end.
  const maxStdevMs = samples > 1 ? ((maxMs - minMs) / 2) * Math.sqrt(samples / (samples - 1)) : 0;
  if (stdevMs > maxStdevMs * (1 + 1e-6) + slackMs)
    return `stdevMs: ${stdevMs} is more than samples between ${minMs} and ${maxMs} can have`;
  return null;
}

/**
 * What contradicts itself in stored samples: the exact figures, and the histogram beside them.
 * @param {EncodedHistogram} encoded @returns {string | null} the field, and what is wrong with it; null: nothing
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
