import {groupsOf} from '../battle/groups.js';
import {lacksRound, roundRules} from '../battle/rounds.js';
import {progressOf} from '../battle/state.js';
import {nameOfCell} from '../columns/name-of-cell.js';
import {CpuUse} from './live/cpu-use.js';
import {liveTable} from './live/live-table.js';
import {RedrawnLines} from './live/redrawn-lines.js';
import {painter, widthOf} from './terminal.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {Time} from '../battle/rounds.js'
 * @import {BattleEvent} from '../battle/run-battle.js'
 * @import {BattleState} from '../battle/state.js'
 */

/** Where lines cannot be drawn again, a new one is printed this often. */
const lineEveryMs = 5000;
const drawEveryMs = 1000;

/**
 * Shows on standard error how far the battle is, and the estimated time left. On a terminal the figures so far stand below, and all of it is
 * drawn again in place; elsewhere a line is printed every few seconds. With --quiet only failures and warnings are shown.
 *
 * @param {BattleState} state
 * @param {Time} time that is left, and that the groups take
 * @param {{quiet: boolean}} values settings
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>} [stream]
 */
export function makeProgress(state, time, {quiet}, stream = process.stderr) {
  const progress = new Progress(state, time);
  const isLive = Boolean(stream.isTTY) && process.env.TERM !== 'dumb' && !quiet;
  const live = isLive ? new LiveBattle(progress, stream) : null;
  let printedAt = Number.NEGATIVE_INFINITY;
  const print = (/** @type {string} */ text) => {
    live?.clear();
    stream.write(`${text}\n`);
  };
  const showLine = () => {
    if (quiet || performance.now() - printedAt < lineEveryMs) return;
    printedAt = performance.now();
    print(progress.line());
  };
  return {
    /** @param {string} text */
    note: (text) => void (quiet || print(text)),
    /** What a person needs to know even with --quiet. @param {string} text */
    tell: print,
    /** @param {string} text */
    warn: (text) => print(`Warning: ${text}`),
    /** @param {BattleEvent} event */
    onEvent(event) {
      progress.onEvent(event);
      if (event.type === 'broker-missing') print(`No broker: ${event.message}`);
      else if (event.type === 'cell-failed') print(`Failed: ${nameOfCell(event.cell)}: ${event.message}`);
      else if (event.type === 'broker' && !quiet) print(`Broker: ${event.label}`);
      else if ((event.type === 'trial' || event.type === 'trial-done') && !live) showLine();
      live?.onEvent();
    },
    /** @param {string | null} [reason] */
    end(reason = null) {
      live?.end();
      if (reason !== null && !quiet) print(reason);
    },
  };
}

/** What a terminal shows of a battle while it runs. */
class LiveBattle {
  #startedAt = performance.now();
  #cpu = new CpuUse();
  /** Of this host's CPU. @type {number | null} */
  #used = null;
  /** @type {readonly string[]} */
  #table = [];
  /** @type {NodeJS.Timeout | undefined} */
  #ticking;

  /** @param {Progress} progress @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'>} stream */
  constructor(progress, stream) {
    this.progress = progress;
    this.stream = stream;
    this.paint = painter(stream);
    this.lines = new RedrawnLines(stream);
  }

  onEvent() {
    const {progress, stream, paint, lines} = this;
    this.#ticking ??= setInterval(() => this.#tick(), drawEveryMs).unref();
    const room = lines.room - this.#heading().length;
    this.#table = liveTable(progress.state, {running: progress.current, width: widthOf(stream), room, paint});
    this.#draw();
  }

  clear() {
    this.lines.clear();
  }

  end() {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
    this.clear();
  }

  /** Lays out no table, which would take CPU time from what is measured. */
  #tick() {
    this.#used = this.#cpu.sinceLast();
    this.#draw();
  }

  #draw() {
    this.lines.draw([...this.#heading(), ...this.#table]);
  }

  #heading() {
    const elapsed = `${formatTime(performance.now() - this.#startedAt)} so far`;
    const use = this.#used === null ? '' : `, ${Math.round(this.#used * 100)} % of this host's CPU in use`;
    return [this.progress.status().text, `${elapsed}${use}`, ''];
  }
}

/** How far a battle is. */
class Progress {
  /** @param {BattleState} state @param {Time} time */
  constructor(state, time) {
    this.state = state;
    this.time = time;
    this.groups = groupsOf(state.cells, state.values);
    this.rules = roundRules(state.values);
    /** The cell that is measured, or the last one that was. @type {Cell | null} */
    this.current = null;
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
    if (event.type === 'trial') this.current = event.cell;
  }

  line() {
    const {text, isOver} = this.status();
    return isOver ? text : `${text}: ${this.current === null ? 'preparing' : nameOfCell(this.current)}`;
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
