import {mean, median} from 'simple-statistics';
import {timeOfTrial} from '../results/comparable.js';
import {haveRatio} from '../stats/ratio.js';
import {workloads} from '../workloads/index.js';

/**
 * @import {CompletedRecord} from '../results/record-schema.js'
 * @import {Ratio, Trial} from '../stats/ratio.js'
 */

/**
 * How many times the time of another record one takes, by the trials that count and the figure of their workload.
 * @param {CompletedRecord} one
 * @param {CompletedRecord} other of the same workload
 * @param {(ones: Trial[], others: Trial[], typical: (values: number[]) => number) => Ratio} ratio paired by round, or of independent trials
 * @returns {RatioOfTrials | null} null if a figure of a trial is zero
 *
 * @typedef {Ratio & {counts: [ones: number, others: number]}} RatioOfTrials counts: of the trials; of the rounds in common, if they are paired
 */
export function ratioOfRecords(one, other, ratio) {
  const {aggregate = 'mean'} = workloads[one.workload] ?? {};
  const [ones, others] = [trialsOf(one), trialsOf(other)];
  if (!haveRatio([...ones, ...others])) return null;
  const made = ratio(ones, others, {mean, median}[aggregate]);
  return {...made, counts: made.paired ? roundsInCommon(ones, others) : [ones.length, others.length]};
}

/** @param {readonly Trial[]} ones @param {readonly Trial[]} others @returns {[number, number]} */
function roundsInCommon(ones, others) {
  const rounds = new Set(ones.map(({round}) => round));
  const {size} = new Set(others.map(({round}) => round).filter((round) => rounds.has(round)));
  return [size, size];
}

/** @param {CompletedRecord} record @returns {Trial[]} */
function trialsOf({comparedBy, trials}) {
  return trials
    .filter(({used}) => used)
    .map((trial) => ({round: trial.round, figureMs: timeOfTrial(comparedBy, trial)}));
}
