import {median} from 'simple-statistics';
import {movedTrials} from '../results/comparable.js';
import {groupBy} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {progressOf} from './state.js';

/**
 * @import {JournalTrial} from '../results/types.js'
 * @import {BattleState, Cell, TrialOutcome} from './types.js'
 */

/** A distance is compared with the median of so many before it: one alone may be wrong. */
const newest = 3;

/**
 * The distances between the cores of the roles during trials. The hypervisor of a virtual machine may move its cores between processors that share a
 * cache and processors that do not. Large messages then take several times as long, for seconds or minutes.
 */
export class CoreDistances {
  /** @type {number[]} */
  #known = [];

  /** @param {{awake?: {distance: () => Promise<number | null>} | undefined}} deps */
  constructor({awake}) {
    this.awake = awake;
  }

  async measure() {
    const ns = await this.#distance();
    if (ns !== null) this.#known.push(ns);
  }

  /**
   * Measures the distance, and twice if it differs from those before.
   * @returns {Promise<boolean>} whether the cores have moved since. The distances after a move are not added
   */
  async haveMoved() {
    const ns = await this.#distance();
    if (ns === null) return false;
    if (this.#isOther(ns)) {
      const again = await this.#distance();
      if (again !== null && this.#isOther(again) && !isOtherState(again, ns)) return true;
    }
    this.#known.push(ns);
    return false;
  }

  /** @param {number} ns */
  #isOther(ns) {
    return this.#known.length > 0 && isOtherState(ns, median(this.#known.slice(-newest)));
  }

  async #distance() {
    return (await this.awake?.distance()) ?? null;
  }

  /** One distance does not show whether the cores were moved. @param {TrialOutcome} outcome @returns {TrialOutcome} with the distances, if they are known */
  addTo(outcome) {
    if (this.#known.length < 2 || outcome.outcome === 'failed') return outcome;
    const sorted = this.#known.toSorted((one, other) => one - other);
    const last = sorted.length - 1;
    const p50Ns = sorted[Math.floor(last / 2)];
    return {
      ...outcome,
      coreDistance: {p10Ns: sorted[Math.round(0.1 * last)], p50Ns, p90Ns: sorted[Math.round(0.9 * last)]},
    };
  }
}

/** @param {number} one ns @param {number} other ns */
function isOtherState(one, other) {
  return Math.max(one, other) > thresholds.coreDistance * Math.min(one, other);
}

/**
 * Returns the trials whose cores were moved, among the cells of each workload and size. The sides of a comparison keep all trials: a move changes both
 * sides alike, and they need their common rounds.
 * @param {BattleState} state
 * @param {readonly Cell[]} cells
 * @param {number} [round] the trials of earlier rounds count; default: all trials
 * @returns {ReadonlySet<JournalTrial>}
 */
export function movedIn(state, cells, round = Number.POSITIVE_INFINITY) {
  const measured = cells.filter(({number}) => {
    const {trials, error} = progressOf(state, number);
    return error === null && trials.length > 0;
  });
  if (measured.some(({variant}) => variant.side !== undefined)) return new Set();
  const inTurn = groupBy(measured, ({workload, payloadBytes}) => `${workload} ${payloadBytes}`);
  const trialsOf = (/** @type {Cell} */ {number}) =>
    progressOf(state, number).trials.filter((trial) => trial.round < round);
  return new Set([...inTurn.values()].flatMap((some) => [...movedTrials(some.map(trialsOf))]));
}
