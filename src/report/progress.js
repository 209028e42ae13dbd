import {performance} from 'node:perf_hooks';
import {groupsOf} from '../battle/groups.js';
import {lacksRound, roundRules} from '../battle/rounds.js';
import {progressOf} from '../battle/state.js';
import {nameOfCell} from '../columns/names.js';
import {formatBytes} from '../payload/bytes.js';

/** @import {BattleEvent, BattleState, Cell, Time} from '../battle/types.js' */

export class Progress {
  /** @param {BattleState} state @param {Time} time */
  constructor(state, time) {
    this.state = state;
    this.time = time;
    this.groups = groupsOf(state.cells, state.values);
    this.rules = roundRules(state.values);
    /** The cell that is prepared or measured, or the previous one. @type {Cell | null} */
    this.current = null;
    /** The cells that are measured in turn. @type {Extract<BattleEvent, {type: 'cycle'}> | null} */
    this.inTurn = null;
    this.round = 1;
    /** @type {readonly Cell[][]} */
    this.ofRound = [];
    /** When the latest trial ended, or the round began. */
    this.endedAtMs = performance.now();
  }

  /** @param {BattleEvent} event */
  onEvent(event) {
    if (event.type === 'round') {
      this.round = event.round;
      this.ofRound = event.groups;
    }
    if (['round', 'trial-done', 'cell-failed'].includes(event.type)) this.endedAtMs = performance.now();
    if (event.type === 'trial') this.current = event.cell;
    if (event.type === 'cycle') this.current = null;
    if (event.type === 'cycle' || event.type === 'trial') this.inTurn = event.type === 'cycle' ? event : null;
  }

  line() {
    const {text, isOver} = this.status();
    return isOver ? text : `${text}: ${this.#what()}`;
  }

  #what() {
    const {current, inTurn} = this;
    if (inTurn === null) return current === null ? 'preparing' : nameOfCell(current);
    const {cells, done} = inTurn;
    return `${cells.length} in turn at ${formatBytes(cells[0].payloadBytes)}, ${Math.round(100 * done)} %`;
  }

  /** @returns {{text: string, isOver: boolean}} isOver: no trial is left */
  status() {
    const {round, rules} = this;
    const {done, total} = this.#count();
    const left = this.#left();
    const isOver = done === total && left === null;
    if (isOver) return {text: `[${done}/${total}] storing the results`, isOver};
    const rounds = round > rules.planned ? `${round}` : `${round} of ${this.#plannedText()}`;
    return {text: `[${done}/${total}] round ${rounds}, ${left ?? 'no time'} left`, isOver};
  }

  #plannedText() {
    const {precision, planned} = this.rules;
    return precision === null ? planned : `${planned} or more`;
  }

  /** Returns the time left for the planned rounds, or for added rounds within a budget. @returns {string | null} null if none is left */
  #left() {
    const {rules, time} = this;
    const planned = this.#expectedMs(rules.planned);
    const least = this.#expectedMs(rules.min);
    const remaining = time.remainingMs();
    const isFixed = rules.precision === null && planned <= Math.max(least, remaining);
    if (isFixed) return planned > 0 ? this.#about(planned) : null;
    if (least > remaining) return this.#about(least);
    return remaining > 0 ? `at most ${formatElapsed(remaining)}` : null;
  }

  /** Trials that are measured in turn end together, after a minute or more. @param {number} ms that all unfinished trials take */
  #about(ms) {
    const runningMs = performance.now() - this.endedAtMs;
    return `about ${formatElapsed(Math.max(1000, ms - runningMs))}`;
  }

  /** Returns the expected time of the rounds up to the last one, and of added rounds. @param {number} last */
  #expectedMs(last) {
    const {state, groups, round, time} = this;
    let total = 0;
    for (let one = 1; one <= last; one += 1)
      total += time.expectedMs(groups.filter((group) => lacksRound(state, group, one)));
    const added = round > last ? this.ofRound.filter((group) => lacksRound(state, group, round)) : [];
    return total + time.expectedMs(added);
  }

  /** Counts trials. A cell that failed gets no more trials. */
  #count() {
    const {state, round, rules} = this;
    let [done, total] = [0, 0];
    for (const {number} of state.cells) {
      const {trials, error} = progressOf(state, number);
      const finished = new Set(trials.map((trial) => trial.round));
      done += finished.size;
      const isDue = (/** @type {number} */ one) => !error && !finished.has(one);
      const planned = Array.from({length: rules.planned}, (_, index) => index + 1);
      const isAdded = round > rules.planned && this.ofRound.flat().some((cell) => cell.number === number);
      total += finished.size + planned.filter(isDue).length + (isAdded && isDue(round) ? 1 : 0);
    }
    return {done, total};
  }
}

/** @param {number} ms */
export function formatElapsed(ms) {
  const seconds = Math.ceil(ms / 1000);
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
}
