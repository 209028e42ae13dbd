import {mean, median} from 'simple-statistics';
import {largerHalf, timePerMessage} from '../results/comparable.js';
import {halfWidth95} from '../stats/interval.js';
import {groupBy, percent} from '../stats/numbers.js';
import {trendTest} from '../stats/rank-tests.js';
import {thresholds, verdictOfRatio} from '../stats/thresholds.js';
import {floorOf, meanMsOf, ratioOfCells} from './compare-cells.js';

/** @import {Evidence, WarningDeclaration} from './warning.js' */

/** @type {WarningDeclaration} */
export const lost = {
  code: 'lost',
  level: 'suspect',
  condition: 'a request had no reply within the timeout, or a message did not arrive',
  advice:
    'Check the server and the broker. A lost request counts with its time, which is at least the timeout.',
  sentence: ({figures: {counts}}) =>
    counts.lost > 0 ? `${counts.lost} of ${counts.sent} messages were lost or had no reply in time.` : null,
};

/** @type {WarningDeclaration} */
export const corrupted = {
  code: 'corrupted',
  level: 'suspect',
  condition: 'a message had wrong contents',
  advice:
    'Do not use this transport with this set-up. The journal says what was wrong with the first such message.',
  sentence: ({figures: {counts}, trials}) =>
    counts.corrupted > 0
      ? `${counts.corrupted} messages had wrong contents. ${trials.find(({mismatch}) => mismatch)?.mismatch ?? ''}`.trim()
      : null,
};

/** @type {WarningDeclaration} */
export const duplicated = {
  code: 'duplicated',
  level: 'suspect',
  condition: 'a message arrived twice',
  advice: 'Deliveries were repeated, so receivers must handle duplicates. The rate counts each message once.',
  sentence: ({figures: {counts}}) =>
    counts.duplicated > 0 ? `${counts.duplicated} messages arrived more than once.` : null,
};

/**
 * The rounds of a battle are judged once for all cells. The round is the unit, because a slow phase of the host affects all cells of a round.
 * A test for each cell would give each battle as many chances of a false alarm as it has cells.
 * @type {WarningDeclaration}
 */
export const drift = {
  code: 'drift',
  level: 'suspect',
  onlySlows: true,
  sparesRatios: 'paired',
  condition: `the rounds of the battle became slower, or faster, by more than ${thresholds.driftShare * 100} % from the first to the last. Mann and Kendall's test over the rounds of all cells decides; at most ${thresholds.driftErrorRate * 100} % of the battles have a false alarm`,
  advice:
    'Something changed during the battle, such as temperature, other load or CPU credits. Ratios are paired by round and still hold. Let the host settle, then run again.',
  sentence: (_cell, cells) => {
    const levels = levelsOf(cells);
    if (levels.length < 2 || trendTest(levels.map(({level}) => level)) > thresholds.driftErrorRate)
      return null;
    const change = Math.exp(slopeOf(levels) * (levels[levels.length - 1].round - levels[0].round)) - 1;
    return Math.abs(change) > thresholds.driftShare
      ? `All cells together became ${change > 0 ? 'slower' : 'faster'} by ${percent(Math.abs(change))} from the first round to the last.`
      : null;
  },
};

/**
 * Returns the distance of each round from the mean of its cells, as a logarithm.
 * @param {readonly Evidence[]} cells @returns {{round: number, level: number}[]} in the order of the rounds
 */
function levelsOf(cells) {
  const differences = cells.flatMap(({trials}) => {
    const typical = mean(trials.map(({figureMs}) => Math.log(figureMs)));
    return trials.map(({round, figureMs}) => ({round, difference: Math.log(figureMs) - typical}));
  });
  return [...groupBy(differences, ({round}) => round)]
    .sort(([one], [other]) => one - other)
    .map(([round, some]) => ({round, level: mean(some.map(({difference}) => difference))}));
}

/** Returns the slope of Theil and Sen: the median over all pairs of rounds. @param {readonly {round: number, level: number}[]} levels */
function slopeOf(levels) {
  return median(
    levels.flatMap((later, index) =>
      levels.slice(0, index).map((earlier) => (later.level - earlier.level) / (later.round - earlier.round)),
    ),
  );
}

/** @type {WarningDeclaration} */
export const belowFloor = {
  code: 'below-floor',
  level: 'suspect',
  condition:
    'the mean is below the raw TCP floor of the same payload: the interval of their ratio, paired by round, is below 1',
  advice: 'No transport over TCP can be faster than TCP itself. Look for different settings, or for drift.',
  sentence: (cell, cells) => {
    const floor = floorOf(cell, cells);
    if (!floor || floor === cell || cell.mayBeatFloor || !isFaster(cell, floor)) return null;
    return `Its time per message is below the raw TCP floor (${meanMsOf(floor).toFixed(4)} ms).`;
  },
};

/** @type {WarningDeclaration} */
export const fallsWithSize = {
  code: 'falls-with-size',
  level: 'suspect',
  condition:
    'the mean is below the mean of a smaller payload: the interval of their ratio, paired by round, is below 1',
  advice: 'A larger payload cannot take less time. Look for Nagle, delayed acknowledgements, or drift.',
  sentence: (cell, cells) => {
    const smaller = cells.find(
      (other) => sameVariant(other, cell) && other.payloadBytes < cell.payloadBytes && isFaster(cell, other),
    );
    return smaller
      ? `Its time per message is below that of ${smaller.payloadBytes} bytes (${meanMsOf(smaller).toFixed(4)} ms).`
      : null;
  },
};

/** @param {Evidence} one @param {Evidence} other */
function isFaster(one, other) {
  const ratio = ratioOfCells(one, other);
  return ratio !== null && verdictOfRatio(ratio) === 'faster';
}

/** @param {Evidence} one @param {Evidence} other */
function sameVariant(one, other) {
  return (
    one.transport === other.transport &&
    one.workload === other.workload &&
    JSON.stringify(one.variant) === JSON.stringify(other.variant)
  );
}

/** @type {WarningDeclaration} */
export const wide = {
  code: 'wide',
  level: 'wide',
  condition: `the larger half of the 95 % interval is more than ${thresholds.wideShare * 100} % of the mean, or there is a single trial and so no interval`,
  advice:
    'Each round narrows the interval: use a longer --budget, or more --rounds. perf-battle doctor says what makes rounds differ, such as caches that others use.',
  ofQuick: (rounds, areGiven) =>
    `${countOf(rounds)} short round${rounds === 1 ? ' is' : 's are'} a first look. Without --quick${areGiven ? ' and --rounds' : ''}, a battle adds rounds until the intervals are narrow, for at most five minutes.`,
  sentence: ({comparedBy, figures, trials}) => {
    if (trials.length === 1) return 'There is a single trial, so there is no interval.';
    const {meanMs, ci95Ms} = timePerMessage({comparedBy, ...figures});
    const half = largerHalf(meanMs, ci95Ms);
    return half > thresholds.wideShare
      ? `The 95 % interval over ${trials.length} trials reaches ${percent(half)} beyond the mean.`
      : null;
  },
};

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
  condition: `the second half of the trials was more than ${thresholds.coldShare * 100} % faster than the first half: the 95 % interval of the ratio of both halves, over trials, is entirely below ${1 - thresholds.coldShare}`,
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
 * Returns the logarithm of second half / first half. It uses medians, because one disturbed window says nothing about the warm-up.
 * @param {readonly number[]} windows means of equal parts of a trial, in ms
 */
function changeWithin(windows) {
  const half = windows.length >> 1;
  return Math.log(median(windows.slice(-half)) / median(windows.slice(0, half)));
}
