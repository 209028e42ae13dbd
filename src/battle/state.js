import {randomUUID} from 'node:crypto';
import {refuseGivenBroker, refuseImpossible} from './limits.js';
import {planCells} from './plan.js';

/**
 * @import {UsageError} from '../errors.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {BattleState, CellProgress} from './types.js'
 */

/**
 * @param {BattleSettings} settings @returns {BattleState} of a battle that has not begun
 * @throws {UsageError} when a cell cannot run on this host
 */
export function newBattle(settings) {
  const cells = planCells(settings);
  // The memory of other hosts is unknown.
  const {values} = settings;
  const isElsewhere = values.clientOn !== null;
  refuseImpossible(cells, isElsewhere ? {availableBytes: null} : {}, values);
  refuseGivenBroker(cells, settings);
  return {id: randomUUID().slice(0, 8), cells, progress: new Map(), values, stoppedBy: null};
}

/**
 * @param {Pick<BattleState, 'progress'>} state receives an entry for a cell without one
 * @param {number} number of the cell
 * @returns {CellProgress}
 */
export function progressOf({progress}, number) {
  const known = progress.get(number);
  if (known) return known;
  /** @type {CellProgress} */
  const fresh = {trials: [], error: null};
  progress.set(number, fresh);
  return fresh;
}
