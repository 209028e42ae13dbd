import {sum} from 'simple-statistics';
import {estimateGroupMs} from './estimate.js';

/** @import {Cell} from './cell.js' */

/** How long the groups of a battle take: as measured so far in this process, otherwise as estimated. */
export class Pace {
  /** @type {Map<number, {ms: number, estimatedMs: number}>} by the smallest number of a group's cells */
  #measured = new Map();
  #all = {ms: 0, estimatedMs: 0};

  /**
   * @param {number | null} budgetMs from now on; null: without a limit
   * @param {() => number} [now] in ms
   */
  constructor(budgetMs, now = () => performance.now()) {
    this.now = now;
    this.endsAt = now() + (budgetMs ?? Number.POSITIVE_INFINITY);
  }

  /** @param {readonly Cell[]} group that took part in a round @param {number} ms */
  add(group, ms) {
    const own = this.#measured.get(keyOf(group)) ?? {ms: 0, estimatedMs: 0};
    this.#measured.set(keyOf(group), own);
    for (const one of [own, this.#all]) {
      one.ms += ms;
      one.estimatedMs += estimateGroupMs(group);
    }
  }

  /** Groups that were measured in turn: each has the share of the time that it was estimated at. @param {readonly (readonly Cell[])[]} groups @param {number} ms */
  addBlock(groups, ms) {
    const estimates = groups.map(estimateGroupMs);
    for (const [index, group] of groups.entries()) this.add(group, (ms * estimates[index]) / sum(estimates));
  }

  /** The time until the end of the budget. @returns {number} ms */
  remainingMs() {
    return this.endsAt - this.now();
  }

  /** @param {readonly (readonly Cell[])[]} groups @returns {number} ms that one round of them takes */
  expectedMs(groups) {
    return sum(groups.map((group) => this.#expectedOf(group)));
  }

  /**
   * Its estimate, which depends on how long its cells are measured, times as much as the measured time differed from that. One that was not measured yet is
   * expected to differ as much as the others did.
   * @param {readonly Cell[]} group
   */
  #expectedOf(group) {
    const {ms, estimatedMs} = this.#measured.get(keyOf(group)) ?? this.#all;
    return (estimatedMs > 0 ? ms / estimatedMs : 1) * estimateGroupMs(group);
  }
}

/** @param {readonly Cell[]} group in any order */
function keyOf(group) {
  return Math.min(...group.map(({number}) => number));
}
