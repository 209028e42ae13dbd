import {Histogram} from '../stats/histogram.js';

/** @typedef {import('../results/record-schema.js').CompletedRecord['trials']} Trials */

/**
 * The latencies of all trials that count, together.
 * @param {Trials} trials
 * @returns {Histogram} empty when no trial has latencies
 */
export function mergeUsed(trials) {
  return Histogram.decodeAll(trials.filter(isUsedWithLatencies));
}

/** @param {Trials[number]} trial @returns {trial is Trials[number] & import('../stats/histogram.js').EncodedHistogram} */
function isUsedWithLatencies(trial) {
  return trial.used && trial.histogram !== null;
}
