import {mean, sampleRankCorrelation, sampleStandardDeviation} from 'simple-statistics';
import {thresholds} from '../stats/thresholds.js';
import {percent} from './warning.js';

/** @import {WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const trialsDisagree = {
  code: 'trials-disagree',
  level: 'suspect',
  condition: `the standard deviation of the trial means is more than ${thresholds.trialSpread * 100} % of their mean`,
  advice: 'Run more rounds (--rounds 10, or --precision 2%), or use a quieter host.',
  sentence: ({trials}) => {
    if (trials.length < 2) return null;
    const means = trials.map(({figureMs}) => figureMs);
    const spread = sampleStandardDeviation(means) / mean(means);
    return spread > thresholds.trialSpread
      ? `The trial means differ by ${percent(spread)} of their mean (standard deviation).`
      : null;
  },
};

/** @type {WarningDeclaration} */
export const drift = {
  code: 'drift',
  level: 'suspect',
  condition: `with ${thresholds.minDriftTrials} trials or more, they get slower (or faster) from round to round: the rank correlation with the round is above ${thresholds.driftCorrelation}`,
  advice:
    'Something changed during the battle, such as temperature, other load or disk space. Run again with more rounds.',
  sentence: ({trials}) => {
    if (trials.length < thresholds.minDriftTrials) return null;
    const means = trials.map(({figureMs}) => figureMs);
    const correlation = sampleRankCorrelation(means, [...means.keys()]);
    return Math.abs(correlation) > thresholds.driftCorrelation
      ? `The trial means ${correlation > 0 ? 'rose' : 'fell'} from round to round.`
      : null;
  },
};

/** @type {WarningDeclaration} */
export const fewTrials = {
  code: 'few-trials',
  level: 'suspect',
  condition: `fewer than ${thresholds.minTrials} trials count`,
  advice: 'Run at least 5 rounds. Processes may differ from each other by more than the samples of one show.',
  sentence: ({trials}) =>
    trials.length < thresholds.minTrials
      ? `Only ${trials.length} trial${trials.length === 1 ? '' : 's'} count.`
      : null,
};

/** @type {WarningDeclaration} */
export const fewSamples = {
  code: 'few-samples',
  level: 'suspect',
  condition: `fewer than ${thresholds.minSamples} messages`,
  advice: 'Measure longer (--duration 5s), or run more rounds. A p99 needs at least 1000 samples.',
  sentence: ({figures}) =>
    figures.counts.received < thresholds.minSamples
      ? `Only ${figures.counts.received} messages were measured.`
      : null,
};

/** @type {WarningDeclaration} */
export const notWarm = {
  code: 'not-warm',
  level: 'suspect',
  condition: 'the median was not stable at the end of a warm-up',
  advice: 'Warm up longer, for example with --warmup 3s.',
  sentence: ({trials}) => {
    const cold = trials.filter(({warm}) => !warm).length;
    return cold > 0
      ? `In ${cold} of ${trials.length} trials the median was not stable at the end of the warm-up.`
      : null;
  },
};
