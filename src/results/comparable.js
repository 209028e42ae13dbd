import {mean} from 'simple-statistics';
import {Histogram} from '../stats/histogram.js';
import {interval95} from '../stats/interval.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * @import {CompletedRecord} from './record-schema.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/**
 * Which trials of a cell count. The battle, which continues until they agree, and the figures use the same rule.
 * @template {{disturbed: boolean}} Trial
 * @param {readonly Trial[]} trials
 */
export function trialsThatCount(trials) {
  const undisturbed = trials.filter(({disturbed}) => !disturbed);
  return undisturbed.length >= thresholds.minUndisturbedTrials ? undisturbed : trials;
}

/**
 * How far the trials that count agree: the larger half of the 95 % interval of their figure, as a share of it.
 * @param {readonly {figureMs: number, disturbed: boolean}[]} trials at least one
 * @returns {number} infinite if there is no interval
 */
export function spreadOf(trials) {
  const figures = trialsThatCount(trials).map(({figureMs}) => figureMs);
  return largerHalf(mean(figures), interval95(figures));
}

/**
 * @param {number} figure @param {readonly [number, number] | null} interval
 * @returns {number} as a share of the figure; infinite if there is no interval
 */
export function largerHalf(figure, interval) {
  return interval ? Math.max(interval[1] - figure, figure - interval[0]) / figure : Number.POSITIVE_INFINITY;
}

/**
 * The time by which cells are compared: the mean latency, or for a workload whose figure is the rate, the time per message. Less is better.
 * @param {{comparedBy: 'latency' | 'rate', rtt: {meanMs: number | null, ci95Ms: [number, number] | null} | null,
 *   throughput: {messagesPerSecond: number, ci95MessagesPerSecond: [number, number] | null}}} figures
 * @returns {{meanMs: number, ci95Ms: [number, number] | null}}
 */
export function timePerMessage({comparedBy, rtt, throughput}) {
  if (comparedBy === 'latency' && rtt && rtt.meanMs !== null) return {meanMs: rtt.meanMs, ci95Ms: rtt.ci95Ms};
  const {messagesPerSecond, ci95MessagesPerSecond: interval} = throughput;
  return {
    meanMs: 1000 / messagesPerSecond,
    ci95Ms: interval && [1000 / interval[1], 1000 / interval[0]],
  };
}

/** The same of one trial, in ms. @param {'latency' | 'rate'} comparedBy @param {{meanMs: number | null, messagesPerSecond: number}} trial */
export function timeOfTrial(comparedBy, {meanMs, messagesPerSecond}) {
  return comparedBy === 'latency' && meanMs !== null ? meanMs : 1000 / messagesPerSecond;
}

/**
 * The rates of a record that other measurements can be compared with. Parts that follow each other, such as those of a queue, have one each.
 * A sender that timed itself until the reply to its last message has the only one: published benchmarks time the sender.
 * @param {Pick<CompletedRecord, 'phases' | 'throughput'>} record
 * @returns {{part: string | null, messagesPerSecond: number}[]} part: null for the whole
 */
export function comparableRates({phases, throughput}) {
  const {sender, ...parts} = phases;
  if (sender) return [{part: null, messagesPerSecond: sender.messagesPerSecond}];
  const rates = Object.entries(parts).map(([part, {messagesPerSecond}]) => ({part, messagesPerSecond}));
  return rates.length > 0 ? rates : [{part: null, messagesPerSecond: throughput.messagesPerSecond}];
}

/** The latencies of each trial of a record that counts and has some. @param {CompletedRecord['trials']} trials */
export function usedHistograms(trials) {
  return trials
    .filter(isUsedWithLatencies)
    .map(Histogram.decode)
    .filter(({count}) => count > 0);
}

/** The same, merged; empty when no trial has latencies. @param {CompletedRecord['trials']} trials */
export function mergeUsed(trials) {
  return Histogram.decodeAll(trials.filter(isUsedWithLatencies));
}

/** @param {CompletedRecord['trials'][number]} trial @returns {trial is CompletedRecord['trials'][number] & EncodedHistogram} */
function isUsedWithLatencies(trial) {
  return trial.used && trial.histogram !== null;
}
