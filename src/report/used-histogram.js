import {Histogram} from '../stats/histogram.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/** @typedef {CompletedRecord['trials']} Trials */

/**
 * The latencies of each trial that counts.
 * @param {Trials} trials
 * @returns {Histogram[]} without those of trials that have none
 */
export function usedHistograms(trials) {
  return trials
    .filter(isUsedWithLatencies)
    .map(Histogram.decode)
    .filter(({count}) => count > 0);
}

/**
 * Merges the latencies of all trials that count.
 * @param {Trials} trials
 * @returns {Histogram} empty when no trial has latencies
 */
export function mergeUsed(trials) {
  return Histogram.decodeAll(trials.filter(isUsedWithLatencies));
}

/** @param {Trials[number]} trial @returns {trial is Trials[number] & EncodedHistogram} */
function isUsedWithLatencies(trial) {
  return trial.used && trial.histogram !== null;
}
