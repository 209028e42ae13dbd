import {mean, median} from 'simple-statistics';
import {timeOfTrial} from '../stats/time-per-message.js';
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
 * @returns {Ratio}
 */
export function ratioOfRecords(one, other, ratio) {
  const {overTrials = 'mean'} = workloads[one.workload] ?? {};
  return ratio(trialsOf(one), trialsOf(other), {mean, median}[overTrials]);
}

/** @param {CompletedRecord} record @returns {Trial[]} */
function trialsOf({comparedBy, trials}) {
  return trials
    .filter(({used}) => used)
    .map((trial) => ({round: trial.round, figureMs: timeOfTrial(comparedBy, trial)}));
}
