import {mean, median} from 'simple-statistics';
import {Histogram} from '../stats/histogram.js';
import {interval95} from '../stats/interval.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * @import {CompletedRecord} from './record-schema.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {CoreDistance} from './types.js'
 */

/**
 * Returns the trials of a cell that count: the undisturbed trials, and of these the trials with the typical distance of the cores. The end of a battle
 * and the figures both follow this rule.
 * @template {{disturbed: boolean, coreDistance?: CoreDistance | null}} Trial
 * @param {readonly Trial[]} trials
 */
export function trialsThatCount(trials) {
  const undisturbed = enough(trials.filter(({disturbed}) => !disturbed)) ?? trials;
  return enough(atOneDistance(undisturbed)) ?? undisturbed;
}

/** @template Trial @param {readonly Trial[]} trials */
function enough(trials) {
  return trials.length >= thresholds.minUndisturbedTrials ? trials : null;
}

/**
 * A hypervisor that moves cores multiplies the time of a trial by up to several times, and changes the ratios of transports. So a cell has the figures
 * of one state of its host: of the more frequent state, or of the nearer cores if two states are equally frequent.
 * @template {{coreDistance?: CoreDistance | null}} Trial
 * @param {readonly Trial[]} trials
 */
function atOneDistance(trials) {
  const known = trials
    .flatMap(({coreDistance}) => coreDistance?.p50Ns ?? [])
    .sort((one, other) => one - other);
  if (known.length < trials.length || known.length === 0) return trials;
  const typicalNs = known[Math.floor((known.length - 1) / 2)];
  return trials.filter(
    ({coreDistance}) =>
      coreDistance &&
      areAsFarApart(coreDistance.p10Ns, typicalNs) &&
      areAsFarApart(coreDistance.p90Ns, typicalNs),
  );
}

/** Returns whether two distances of cores belong to one state of the host. @param {number} oneNs @param {number} otherNs */
export function areAsFarApart(oneNs, otherNs) {
  return Math.max(oneNs, otherNs) <= thresholds.coreDistance * Math.min(oneNs, otherNs);
}

/** Returns the median distance of the cores over the trials of a record that count. @param {CompletedRecord} record @returns {number | null} ns; null: not known */
export function coreDistanceOf({trials}) {
  const known = trials.flatMap(({used, coreDistance}) => (used && coreDistance ? coreDistance.p50Ns : []));
  return known.length > 0 ? Math.round(median(known)) : null;
}

/**
 * Returns the larger half of the 95 % interval of the mean, as a share of the mean, for the trials that count.
 * @param {readonly {figureMs: number, disturbed: boolean, coreDistance?: CoreDistance | null}[]} trials at least one
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
 * Returns the time by which cells are compared: the mean latency, or the time per message for a workload compared by its rate.
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

/**
 * Returns the time of one trial by which cells are compared, in ms.
 * @param {'latency' | 'rate'} comparedBy @param {{meanMs: number | null, messagesPerSecond: number}} trial
 */
export function timeOfTrial(comparedBy, {meanMs, messagesPerSecond}) {
  return comparedBy === 'latency' && meanMs !== null ? meanMs : 1000 / messagesPerSecond;
}

/**
 * Returns the rates of a record that are comparable with other measurements. Consecutive parts, such as those of a queue, have one rate each.
 * If the sender timed itself until the reply to its last message, its rate is the only one, because published benchmarks time the sender.
 * @param {Pick<CompletedRecord, 'phases' | 'throughput'>} record
 * @returns {{part: string | null, messagesPerSecond: number}[]} part: null for the whole
 */
export function comparableRates({phases, throughput}) {
  const {sender, ...parts} = phases;
  if (sender) return [{part: null, messagesPerSecond: sender.messagesPerSecond}];
  const rates = Object.entries(parts).map(([part, {messagesPerSecond}]) => ({part, messagesPerSecond}));
  return rates.length > 0 ? rates : [{part: null, messagesPerSecond: throughput.messagesPerSecond}];
}

/** Returns the latencies of each trial that counts and has samples. @param {CompletedRecord['trials']} trials */
export function usedHistograms(trials) {
  return trials
    .filter(isUsedWithLatencies)
    .map(Histogram.decode)
    .filter(({count}) => count > 0);
}

/** Merges the latencies of the trials that count. @param {CompletedRecord['trials']} trials */
export function mergeUsed(trials) {
  return Histogram.decodeAll(trials.filter(isUsedWithLatencies));
}

/** @param {CompletedRecord['trials'][number]} trial @returns {trial is CompletedRecord['trials'][number] & EncodedHistogram} */
function isUsedWithLatencies(trial) {
  return trial.used && trial.histogram !== null;
}
