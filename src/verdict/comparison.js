import {largerHalf} from '../results/comparable.js';
import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {wide} from './cell-warnings.js';
import {warningNamed} from './warnings.js';

/**
 * @import {Ratio} from '../stats/ratio.js'
 * @import {Warning} from './warning.js'
 *
 * @typedef {object} Compared
 * @property {{warnings: readonly Warning[]}} verdict on the figure of the cell
 * @property {readonly RatioTrial[]} trials the trials that count
 *
 * @typedef {{slices?: number | null, foreignShare?: number | null}} RatioTrial
 */

/**
 * Returns the verdict on the ratio of two cells of a battle. A ratio may be valid where a time is suspect, because a slowdown of both cells
 * cancels.
 * @param {Compared} cell @param {Compared & {name: string}} base the cell to compare with; name: how a sentence names it
 * @param {Pick<Ratio, 'ratio' | 'ci95' | 'paired'>} ratio @returns {{status: 'valid' | 'wide' | 'suspect', warnings: Warning[]}}
 */
export function verdictOnRatio(cell, base, ratio) {
  const isPaired = ratio.paired;
  const areInTurn = isPaired && sharedDisturbance([...cell.trials, ...base.trials]);
  const spoils = (/** @type {Warning} */ {code}) => spoilsRatio(code, {isPaired, areInTurn});
  const own = cell.verdict.warnings.filter(spoils);
  const ofBase = base.verdict.warnings
    .filter((warning) => spoils(warning) && !own.some(({code}) => code === warning.code))
    .map((warning) => ({...warning, message: `Of ${base.name}: ${warning.message}`}));
  const suspect = [...own, ...ofBase];
  const ofWidth = wideRatio(ratio);
  const status = suspect.length > 0 ? 'suspect' : ofWidth ? 'wide' : 'valid';
  return {status, warnings: [...suspect, ...(ofWidth ? [ofWidth] : [])]};
}

/**
 * Returns whether disturbances slowed all trials alike: the trials were measured in turn, and other programs left enough of the host. If other
 * programs occupy a core permanently, both ends of a pair share another core, which speeds up some transports and slows down others.
 * @param {readonly RatioTrial[]} trials of both cells
 */
export function sharedDisturbance(trials) {
  return trials.every(
    ({slices = null, foreignShare = null}) =>
      slices !== null && foreignShare !== null && foreignShare <= thresholds.ratioForeignShare,
  );
}

/**
 * Returns whether a warning on a figure makes a ratio suspect, too. A warning that this version does not declare counts as suspect.
 * @param {string} code @param {{isPaired: boolean, areInTurn: boolean}} how isPaired: by round; areInTurn: disturbances slowed both cells alike
 */
export function spoilsRatio(code, {isPaired, areInTurn}) {
  const {level, sparesRatios} = warningNamed(code) ?? {level: 'suspect'};
  if (level !== 'suspect') return false;
  if (sparesRatios === 'in turn') return !areInTurn;
  return !(sparesRatios === 'paired' && isPaired);
}

/** @param {Pick<Ratio, 'ratio' | 'ci95'>} ratio @returns {Warning | null} */
function wideRatio({ratio, ci95}) {
  const {code, advice} = wide;
  if (ci95 === null) return {code, advice, message: 'There is a single trial, so the ratio has no interval.'};
  const half = largerHalf(ratio, ci95);
  return half > thresholds.wideShare
    ? {code, advice, message: `The 95 % interval of the ratio reaches ${percent(half)} beyond it.`}
    : null;
}
