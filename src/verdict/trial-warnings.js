import {mean, sampleRankCorrelation, sampleStandardDeviation} from 'simple-statistics';
import {thresholds} from '../stats/thresholds.js';
import {percent} from './warning.js';

/** @import {WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const trialsDisagree = {
  code: 'trials-disagree',
  level: 'suspect',
  condition: `the standard deviation of the trial means is more than ${thresholds.trialSpread * 100} % of their mean`,
  advice: 'Run more rounds (--rounds 10, or --precision 2%), on a quieter host.',
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
  condition: `of five trials or more, each is slower (or each faster) than the last: rank correlation with the round above ${thresholds.driftCorrelation}`,
  advice:
    'Something changed during the battle (temperature, other load, a filling disk); run again with more rounds.',
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
  advice: 'Run at least 5 rounds: one process may differ from the next by more than its own samples show.',
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
  advice: 'Measure longer (--duration 5s) or more rounds; a p99 needs at least 1000 samples.',
  sentence: ({figures}) =>
    figures.counts.received < thresholds.minSamples
      ? `Only ${figures.counts.received} messages were measured.`
      : null,
};

/** @type {WarningDeclaration} */
export const notWarm = {
  code: 'not-warm',
  level: 'suspect',
  condition: 'the median had not settled when a warm-up ended',
  advice: 'Warm up longer, e.g. --warmup 3s.',
  sentence: ({trials}) => {
    const cold = trials.filter(({warm}) => !warm).length;
    return cold > 0
      ? `In ${cold} of ${trials.length} trials the median had not settled when the warm-up ended.`
      : null;
  },
};
