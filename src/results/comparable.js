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
 * Returns the trials of a cell that count. The end of a battle and the figures both follow this rule.
 * @template {{disturbed: boolean}} Trial @param {readonly Trial[]} trials @param {ReadonlySet<Trial>} [moved] the trials that `movedTrials` found
 */
export function trialsThatCount(trials, moved = new Set()) {
  const undisturbed = trials.filter(({disturbed}) => !disturbed);
  const counted = undisturbed.length >= thresholds.minUndisturbedTrials ? undisturbed : trials;
  return counted.filter((trial) => !moved.has(trial));
}

/**
 * Returns the trials that do not count because a hypervisor had moved the cores. The distance of the cores multiplies the time of a trial by up to several
 * times, and changes the ratios of transports. So all cells that are compared have figures of one state of their host: of the state with the nearest cores,
 * among the states in which each cell has five trials.
 * @template {{disturbed: boolean, coreDistance?: CoreDistance | null}} Trial
 * @param {readonly (readonly Trial[])[]} cells the trials of each cell that is compared with the others
 * @returns {ReadonlySet<Trial>} empty if no state has five trials of each cell
 */
export function movedTrials(cells) {
  const counted = cells.map((trials) => trialsThatCount(trials));
  for (const {leastNs, mostNs} of statesIn(counted.flat())) {
    const moved = new Set(
      cells.flat().filter(({coreDistance: at}) => !at || at.p10Ns < leastNs || at.p90Ns > mostNs),
    );
    const isEnough = counted.every(
      (trials) => trials.filter((trial) => !moved.has(trial)).length >= thresholds.minTrialsAtOneDistance,
    );
    if (isEnough) return moved;
  }
  return new Set();
}

/**
 * Returns the distances of trials in which the cores were not moved, as ranges, the nearest first.
 * @param {readonly {coreDistance?: CoreDistance | null}[]} trials
 */
function statesIn(trials) {
  const steady = trials
    .flatMap(({coreDistance}) => (coreDistance && isSteady(coreDistance) ? coreDistance : []))
    .toSorted((one, other) => one.p50Ns - other.p50Ns);
  /** @type {{leastNs: number, mostNs: number, lastNs: number}[]} */
  const states = [];
  for (const {p10Ns, p50Ns, p90Ns} of steady) {
    const state = states.at(-1);
    if (state && p50Ns <= thresholds.coreDistance * state.lastNs) {
      state.leastNs = Math.min(state.leastNs, p10Ns);
      state.mostNs = Math.max(state.mostNs, p90Ns);
      state.lastNs = p50Ns;
    } else states.push({leastNs: p10Ns, mostNs: p90Ns, lastNs: p50Ns});
  }
  return states;
}

/** Returns whether the cores stayed where they were. @param {CoreDistance} distance */
function isSteady({p10Ns, p90Ns}) {
  return p90Ns <= thresholds.coreDistance * p10Ns;
}

/** Returns the median distance of the cores over the trials of a record that count. @param {CompletedRecord} record @returns {number | null} ns; null: not known */
export function coreDistanceOf({trials}) {
  const known = trials.flatMap(({used, coreDistance}) => (used && coreDistance ? coreDistance.p50Ns : []));
  return known.length > 0 ? Math.round(median(known)) : null;
}

/**
 * Returns the larger half of the 95 % interval of the mean, as a share of the mean, for the trials that count.
 * @template {{figureMs: number, disturbed: boolean}} Trial @param {readonly Trial[]} trials at least one
 * @param {ReadonlySet<Trial>} [moved] as `trialsThatCount` takes them @returns {number} infinite if there is no interval
 */
export function spreadOf(trials, moved) {
  const figures = trialsThatCount(trials, moved).map(({figureMs}) => figureMs);
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

/**
 * The usage of a role is the sum over its processes.
 * @param {'client' | 'server'} role @param {{clients?: number, servers?: number}} variant
 */
export function processesOf(role, {clients = 1, servers = 1}) {
  return role === 'client' ? clients : Math.max(1, servers);
}
