import {groupsOf} from '../battle/groups.js';
import {lacksRound, roundRules} from '../battle/rounds.js';
import {progressOf} from '../battle/state.js';
import {nameOfCell} from '../columns/name-of-cell.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {Time} from '../battle/rounds.js'
 * @import {BattleEvent} from '../battle/run-battle.js'
 * @import {BattleState} from '../battle/state.js'
 */

/** Where a line cannot be overwritten, a new one is printed this often. */
const lineEveryMs = 5000;

/**
 * Shows on standard error what runs, how far the battle is, and the estimated time left. On a terminal the line is overwritten;
 * elsewhere a line is printed every few seconds. With --quiet only failures and
 * warnings are shown.
 *
 * @param {BattleState} state
 * @param {Time} time that is left, and that the groups take
 * @param {{quiet: boolean}} values settings
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} [stream]
 */
export function makeProgress(state, time, {quiet}, stream = process.stderr) {
  const live = Boolean(stream.isTTY) && process.env.TERM !== 'dumb' && !quiet;
  const progress = new Progress(state, time);
  let printedAt = Number.NEGATIVE_INFINITY;
  const clear = () => void (live && stream.write('\r\u001b[K'));
  const print = (/** @type {string} */ text) => {
    clear();
    stream.write(`${text}\n`);
  };
  const show = () => {
    if (live)
      return stream.write(`\r\u001b[K${progress.line().slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
    if (quiet || performance.now() - printedAt < lineEveryMs) return;
    printedAt = performance.now();
    print(progress.line());
  };
  /** @type {NodeJS.Timeout | undefined} */
  let ticking;
  return {
    /** @param {string} text */
    note: (text) => void (quiet || print(text)),
    /** @param {string} text */
    warn: (text) => print(`Warning: ${text}`),
    /** @param {BattleEvent} event */
    onEvent(event) {
      progress.onEvent(event);
      if (live) ticking ??= setInterval(show, 1000).unref();
      if (event.type === 'broker-missing') print(`No broker: ${event.message}`);
      else if (event.type === 'cell-failed') print(`Failed: ${nameOfCell(event.cell)}: ${event.message}`);
      else if (event.type === 'trial' || event.type === 'trial-done') show();
      else if (event.type === 'broker' && !quiet) print(`Broker: ${event.label}`);
    },
    /** @param {string | null} [reason] */
    end(reason = null) {
      clearInterval(ticking);
      clear();
      if (reason !== null && !quiet) print(reason);
    },
  };
}

/** How far a battle is. */
class Progress {
  /** @param {BattleState} state @param {Time} time */
  constructor(state, time) {
    this.state = state;
    this.time = time;
    this.groups = groupsOf(state.cells, state.values);
    this.rules = roundRules(state.values);
    this.now = 'preparing';
    this.round = 1;
    /** The groups of this round. @type {readonly Cell[][]} */
    this.ofRound = [];
  }

  /** @param {BattleEvent} event */
  onEvent(event) {
    if (event.type === 'round') {
      this.round = event.round;
      this.ofRound = event.groups;
    }
    if (event.type === 'trial') this.now = nameOfCell(event.cell);
  }

  line() {
    const {round, rules} = this;
    const {done, total} = this.#count();
    const left = this.#left();
    if (done === total && left === null) return `[${done}/${total}] storing the results`;
    const rounds = round > rules.planned ? `${round}` : `${round} of ${this.#plannedText()}`;
    return `[${done}/${total}] round ${rounds}, ${left ?? 'no time'} left: ${this.now}`;
  }

  #plannedText() {
    const {precision, planned} = this.rules;
    return precision === null ? planned : `${planned} or more`;
  }

  /** What is left of the planned rounds; with a budget, what may be added to them. @returns {string | null} null: nothing */
  #left() {
    const {rules, time} = this;
    const planned = this.#expectedMs(rules.planned);
    const least = this.#expectedMs(rules.min);
    const remaining = time.remainingMs();
    const isFixed = rules.precision === null && planned <= Math.max(least, remaining);
    if (isFixed) return planned > 0 ? `about ${formatTime(planned)}` : null;
    if (least > remaining) return `about ${formatTime(least)}`;
    return remaining > 0 ? `at most ${formatTime(remaining)}` : null;
  }

  /** The time that the rounds up to the last one are expected to take, and what was added to them. @param {number} last */
  #expectedMs(last) {
    const {state, groups, round, time} = this;
    let total = 0;
    for (let one = 1; one <= last; one += 1)
      total += time.expectedMs(groups.filter((group) => lacksRound(state, group, one)));
    const added = round > last ? this.ofRound.filter((group) => lacksRound(state, group, round)) : [];
    return total + time.expectedMs(added);
  }

  /** Trials; a cell that failed gets no more of them. */
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
function formatTime(ms) {
  const seconds = Math.ceil(ms / 1000);
  return seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
}
