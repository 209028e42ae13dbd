import {mean, median} from 'simple-statistics';
import {verdictOfRatio} from '../stats/difference.js';
import {percent} from '../stats/numbers.js';
import {trendTest} from '../stats/rank-tests.js';
import {thresholds} from '../stats/thresholds.js';
import {floorOf, meanMsOf, ratioOfCells} from './compare-cells.js';

/**
 * @import {WarningDeclaration, Evidence} from './warning.js'
 */

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
    'Do not use this transport with this set-up. The journal says what was wrong with the first message.',
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
 * The rounds of a battle are judged together, once for all cells: a round is the unit, because what slows the host in a round slows all its
 * cells. A test for each cell would give each battle as many chances of a false alarm as it has cells.
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
 * How far each round is from the mean of its cells, as a logarithm.
 * @param {readonly Evidence[]} cells
 * @returns {{round: number, level: number}[]} in the order of the rounds
 */
function levelsOf(cells) {
  /** @type {Map<number, number[]>} */
  const rounds = new Map();
  for (const {trials} of cells) {
    const typical = mean(trials.map(({figureMs}) => Math.log(figureMs)));
    for (const {round, figureMs} of trials)
      rounds.set(round, [...(rounds.get(round) ?? []), Math.log(figureMs) - typical]);
  }
  return [...rounds]
    .sort(([one], [other]) => one - other)
    .map(([round, differences]) => ({round, level: mean(differences)}));
}

/** The slope of Theil and Sen: the median over all pairs of rounds. @param {readonly {round: number, level: number}[]} levels */
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
    'the mean is below that of a smaller payload: the interval of their ratio, paired by round, is below 1',
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
