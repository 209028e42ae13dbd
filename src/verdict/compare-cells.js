import {mean, median} from 'simple-statistics';
import {isUnchecked} from '../payload/message-check.js';
import {timePerMessage} from '../results/comparable.js';
import {haveRatio, ratioOf, ratioToItself} from '../stats/ratio.js';

/**
 * Records and warnings compare the cells of a battle by these functions.
 *
 * @import {Answer} from '../payload/message-check.js'
 * @import {Ratio} from '../stats/ratio.js'
 * @import {Evidence} from './warning.js'
 */

/**
 * Returns the floor of a cell: the raw TCP cell with the same payload, the same workload, and equal values of all settings that both have. Of
 * several floors, it returns the one with most common settings, and then the fewest others: a variant may lack a setting with an implied value.
 * @template {Pick<Evidence, 'isFloor' | 'workload' | 'payloadBytes' | 'variant'>} One
 * @param {Pick<Evidence, 'workload' | 'payloadBytes' | 'variant'>} cell @param {readonly One[]} cells @returns {One | undefined}
 */
export function floorOf({workload, payloadBytes, variant: own}, cells) {
  // The replies of an existing server that the user names may have any content; the replies of the floor are echoes.
  const variant = isUnchecked(/** @type {{answer?: Answer}} */ (own).answer) ? {...own, answer: 'echo'} : own;
  const floors = cells.filter(
    (other) =>
      other.isFloor &&
      other.workload === workload &&
      other.payloadBytes === payloadBytes &&
      Object.entries(other.variant).every(([key, value]) => !(key in variant) || variant[key] === value),
  );
  const distanceOf = (/** @type {One} */ floor) => {
    const keys = Object.keys(floor.variant);
    return keys.length - 2 * keys.filter((key) => key in variant).length;
  };
  return floors.toSorted((one, other) => distanceOf(one) - distanceOf(other))[0];
}

/** @param {Evidence} one @param {Evidence} other of the same workload @returns {Ratio | null} of their times; null if a time is zero */
export function ratioOfCells(one, other) {
  if (one === other) return ratioToItself;
  if (!haveRatio([...one.trials, ...other.trials])) return null;
  return ratioOf(one.trials, other.trials, {mean, median}[one.aggregate]);
}

/** @param {Evidence} cell @returns {number} the time by which the cell is compared, in ms */
export function meanMsOf({comparedBy, figures}) {
  return timePerMessage({comparedBy, ...figures}).meanMs;
}
