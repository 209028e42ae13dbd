import {Histogram} from '../stats/histogram.js';

/**
 * The latencies of all trials that count, together.
 * @param {import('../results/record-schema.js').CompletedRecord['trials']} trials
 * @returns {Histogram} empty when no trial has latencies
 */
export function mergeUsed(trials) {
  const merged = new Histogram();
  for (const trial of trials) {
    if (trial.used && trial.histogram !== null) {
      merged.merge(Histogram.decode(/** @type {import('../stats/histogram.js').EncodedHistogram} */ (trial)));
    }
  }
  return merged;
}
