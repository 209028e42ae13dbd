import {estimateTrialMs} from '../battle/estimate.js';
import {roundBounds} from '../battle/rounds.js';
import {progressOf} from '../battle/state.js';
import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/format-bytes.js';

/**
 * @import {Cell} from '../battle/cell.js'
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
 * @param {{quiet: boolean}} values settings
 * @param {Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>} [stream]
 */
export function makeProgress(state, {quiet}, stream = process.stderr) {
  const live = Boolean(stream.isTTY) && process.env.TERM !== 'dumb' && !quiet;
  const progress = new Progress(state);
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
      else if (event.type !== 'broker') show();
      else if (!quiet) print(`Broker: ${event.label}`);
    },
    end() {
      clearInterval(ticking);
      clear();
    },
  };
}

/** How far a battle is. The time left is estimated from the trials of this process, before the first from the plan. */
class Progress {
  /** @param {BattleState} state */
  constructor(state) {
    this.state = state;
    this.trialMs = estimateTrialMs(state);
    this.trials = 0;
    this.spentMs = 0;
    this.startedAt = 0;
    this.now = 'preparing';
    this.round = 1;
  }

  /** @param {BattleEvent} event */
  onEvent(event) {
    if (event.type === 'trial') {
      this.now = `${nameOfCell(event.cell)}${event.repeat ? ', repeated because it was disturbed' : ''}`;
      this.round = event.round;
      this.startedAt = performance.now();
    }
    if (event.type === 'trial-done') {
      this.spentMs += performance.now() - this.startedAt;
      this.trials += 1;
      this.trialMs = this.spentMs / this.trials;
    }
  }

  line() {
    const {min, max} = roundBounds(this.state.values);
    const {done, total} = this.#count(Math.max(min, this.round));
    const seconds = Math.ceil(((total - done) * this.trialMs) / 1000);
    const left = seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
    const rounds = min === max ? min : `${min} to ${max}`;
    return `[${done}/${total}] round ${this.round} of ${rounds}, about ${left} left: ${this.now}`;
  }

  /** Repeats are not counted, and a cell that failed gets no more trials. @param {number} rounds */
  #count(rounds) {
    let [done, total] = [0, 0];
    for (const {number} of this.state.cells) {
      const {trials, error} = progressOf(this.state, number);
      const finished = trials.filter(({repeat}) => !repeat).length;
      done += finished;
      total += error ? finished : rounds;
    }
    return {done, total};
  }
}

/** @param {Cell} cell */
function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
