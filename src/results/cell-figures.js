import {mean} from 'simple-statistics';
import {randomSource} from '../payload/random.js';
import {Histogram} from '../stats/histogram.js';
import {interval95} from '../stats/interval.js';
import {summarize} from '../stats/summary.js';

/** With at least this many undisturbed trials the disturbed ones do not count. */
const fewestUndisturbed = 3;

/**
 * The figures of a cell from its trials: the mean of trial means with its interval over trials, percentiles of the merged
 * histograms, CPU per message over the measured parts.
 *
 * @param {readonly JournalTrial[]} trials at least one, all completed
 * @param {{payloadBytes: number, seed: number}} cell
 * @returns {Omit<import('./record-schema.js').Figures, 'floor' | 'verdict'>}
 */
export function figuresOf(trials, {payloadBytes, seed}) {
  const used = trialsThatCount(trials);
  const trialMeans = used.map(({meanMs}) => meanMs);
  const meanMs = mean(trialMeans);
  const messagesPerSecond = 1000 / meanMs;
  return {
    rtt: {
      ...summarize(mergeHistograms(used)),
      meanMs,
      ci95Ms: interval95(trialMeans, randomSource(seed, 'interval of the mean')),
    },
    throughput: {messagesPerSecond, bytesPerSecond: messagesPerSecond * payloadBytes},
    counts: sumCounts(used),
    cpu: {
      client: cpuOf(used, 'client', (trial) => trial.samples),
      server: cpuOf(used, 'server', (trial) => trial.served),
      broker: cpuOf(used, 'broker', (trial) => trial.samples),
    },
    trials: trials.map((trial) => describeTrial(trial, used.includes(trial))),
  };
}

/**
 * A completed trial as the journal keeps it.
 * @typedef {Extract<import('../battle/trial.js').TrialOutcome, {outcome: 'completed'}> &
 *   {round: number, repeat: boolean, disturbed: boolean, stealShare: number | null}} JournalTrial
 */

/** @param {readonly JournalTrial[]} trials */
export function trialsThatCount(trials) {
  const undisturbed = trials.filter(({disturbed}) => !disturbed);
  return undisturbed.length >= fewestUndisturbed ? undisturbed : trials;
}

/** @param {readonly JournalTrial[]} trials */
function mergeHistograms(trials) {
  const merged = new Histogram();
  for (const trial of trials) merged.merge(Histogram.decode(trial));
  return merged;
}

/** @param {readonly JournalTrial[]} trials */
function sumCounts(trials) {
  const total = {sent: 0, received: 0, lost: 0, verified: 0, duplicated: 0, retried: 0, timedOut: 0};
  for (const {counts} of trials) {
    for (const name of /** @type {(keyof typeof total)[]} */ (Object.keys(total)))
      total[name] += counts[name];
  }
  return total;
}

/**
 * @param {readonly JournalTrial[]} trials
 * @param {'client' | 'server' | 'broker'} role
 * @param {(trial: JournalTrial) => number} messagesOf
 */
function cpuOf(trials, role, messagesOf) {
  const usages = trials.map((trial) => trial.usage[role]).filter((usage) => usage !== null);
  if (usages.length < trials.length) return null;
  const userMs = sum(usages.map((usage) => usage.userMs));
  const systemMs = sum(usages.map((usage) => usage.systemMs));
  const messages = sum(trials.map(messagesOf));
  return {
    userMs,
    systemMs,
    microsPerMessage: messages > 0 ? ((userMs + systemMs) * 1000) / messages : null,
    maxRssBytes: Math.max(...usages.map((usage) => usage.maxRssBytes)),
  };
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** @param {JournalTrial} trial @param {boolean} used */
function describeTrial(trial, used) {
  const {round, startedAt, meanMs, minMs, maxMs, stdevMs, samples, discarded, warm, disturbed, stealShare} =
    trial;
  const {histogram} = trial;
  return {
    round,
    startedAt,
    meanMs,
    minMs,
    maxMs,
    stdevMs,
    samples,
    discarded,
    warm,
    disturbed,
    stealShare,
    used,
    histogram,
  };
}
