import {isBeyondEqual, ratioOf} from '../stats/ratio.js';
import {verdictOfRatio} from '../stats/thresholds.js';
import {sharedDisturbance, spoilsRatio} from '../verdict/comparison.js';
import {differenceShown, noRatio, ratioOfRecords, tooFewRounds} from './ratio-of-records.js';

/**
 * @import {CellRecord} from '../results/record-schema.js'
 * @import {SideComparison} from './types.js'
 */

/**
 * Compares the sides of a battle, cell by cell. They ran in the same rounds, so the ratios are paired by round. What the two equal sides
 * show is no effect of the difference: where they differ, too, only a far larger difference counts, and none that is within their interval.
 * @param {readonly CellRecord[]} records @returns {SideComparison[]}
 */
export function compareInBattle(records) {
  const of = (/** @type {string} */ side) => records.filter(({variant}) => variant.side === side);
  const [ones, agains, others] = [of('a'), of('a again'), of('b')];
  return ones.map((a, index) => compare({a, again: agains[index], b: others[index]}));
}

/** @param {Pick<SideComparison, 'a' | 'again' | 'b'>} sides */
function compare(sides) {
  const {a, again, b} = sides;
  const cannotTell = (
    /** @type {string} */ why,
    /** @type {Pick<SideComparison, 'ratio' | 'equal'>} */ ratios = {ratio: null, equal: null},
  ) => /** @type {SideComparison} */ ({...sides, ...ratios, result: 'cannot tell', why});
  if (a.outcome !== 'completed' || again.outcome !== 'completed' || b.outcome !== 'completed') {
    const without = Object.entries(sides).find(([, {outcome}]) => outcome !== 'completed');
    return cannotTell(`${without?.[0]} ${without?.[1].outcome}`);
  }
  const ratio = ratioOfRecords(b, a, ratioOf);
  const equal = ratioOfRecords(again, a, ratioOf);
  if (ratio === null || equal === null) return cannotTell(noRatio, {ratio, equal});
  const trials = [a, b].flatMap((record) => record.trials.filter(({used}) => used));
  const how = {isPaired: true, areInTurn: sharedDisturbance(trials)};
  const suspects = Object.entries({a, b})
    .filter(([, {verdict}]) => verdict.warnings.some(({code}) => spoilsRatio(code, how)))
    .map(([name]) => name);
  const reasons = [
    tooFewRounds(ratio, {paired: true}),
    suspects.length > 0 ? `${suspects.join(' and ')} suspect` : null,
  ].filter((reason) => reason !== null);
  if (reasons.length > 0) return cannotTell(reasons.join('; '), {ratio, equal});
  const isEqual = verdictOfRatio(equal) === 'no difference shown';
  const shown = differenceShown(ratio, isEqual ? equal : null, 'two equal sides may differ as much');
  if (shown.result === 'no difference shown' || isEqual) return {...sides, ratio, equal, ...shown};
  return isBeyondEqual(ratio, equal)
    ? {...sides, ratio, equal, result: shown.result, why: 'far beyond what two equal sides differ by'}
    : cannotTell('two equal sides differ, too', {ratio, equal});
}
