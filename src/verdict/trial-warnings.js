import {mean, median} from 'simple-statistics';
import {largerHalf} from '../results/aggregate.js';
import {halfWidth95} from '../stats/interval.js';
import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {timePerMessage} from '../stats/time-per-message.js';

/** @import {WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const wide = {
  code: 'wide',
  level: 'wide',
  condition: `the larger half of the 95 % interval is more than ${thresholds.wideShare * 100} % of the mean, or there is a single trial and so no interval`,
  advice: 'Each round narrows the interval: use a longer --budget, or more --rounds.',
  ofQuick: (rounds) =>
    `${countOf(rounds)} short round${rounds === 1 ? ' is' : 's are'} a first look. Without --quick${rounds === quickRounds ? '' : ' and --rounds'}, a battle adds rounds until the intervals are narrow, for at most five minutes.`,
  sentence: ({comparedBy, figures, trials}) => {
    if (trials.length === 1) return 'There is a single trial, so there is no interval.';
    const {meanMs, ci95Ms} = timePerMessage({comparedBy, ...figures});
    const half = largerHalf(meanMs, ci95Ms);
    return half > thresholds.wideShare
      ? `The 95 % interval over ${trials.length} trials reaches ${percent(half)} beyond the mean.`
      : null;
  },
};

/** As many as --quick has unless a person gives --rounds. */
const quickRounds = 3;

/** @param {number} rounds */
function countOf(rounds) {
  return ['no', 'one', 'two', 'three', 'four', 'five'][rounds] ?? String(rounds);
}

/** @type {WarningDeclaration} */
export const fewSamples = {
  code: 'few-samples',
  level: 'suspect',
  condition: `fewer than ${thresholds.minSamplesPerTrial} messages per trial`,
  advice: 'Measure longer, for example with --duration 5s.',
  sentence: ({figures: {counts}, trials}) =>
    counts.received < thresholds.minSamplesPerTrial * trials.length
      ? `Only ${counts.received} messages were measured in ${trials.length} trials.`
      : null,
};

/** @type {WarningDeclaration} */
export const notWarm = {
  code: 'not-warm',
  level: 'suspect',
  onlySlows: true,
  condition: `the second half of the trials was more than ${thresholds.coldShare * 100} % faster than the first: the 95 % interval over trials of the ratio of the two is entirely below ${1 - thresholds.coldShare}`,
  advice: 'Warm up longer, for example with --warmup 3s.',
  sentence: ({trials}) => {
    const changes = trials.flatMap(({windows}) => (windows ? [changeWithin(windows)] : []));
    if (changes.length < 2) return null;
    const change = mean(changes);
    return change + halfWidth95(changes) < Math.log(1 - thresholds.coldShare)
      ? `The second half of the trials was ${percent(1 - Math.exp(change))} faster than the first.`
      : null;
  },
};

/**
 * The logarithm of second half / first half. Medians, because one disturbed window says nothing about warmth.
 * @param {readonly number[]} windows means of equal parts of a trial, in ms
 */
function changeWithin(windows) {
  const half = windows.length >> 1;
  return Math.log(median(windows.slice(-half)) / median(windows.slice(0, half)));
}
