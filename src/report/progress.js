import {estimateTrialMs} from '../battle/estimate.js';
import {roundBounds} from '../battle/rounds.js';
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
 * elsewhere a line is printed every few seconds. With --quiet nothing is shown.
 *
 * @param {BattleState} state
 * @param {Record<string, any>} values settings: quiet
 */
export function makeProgress(state, {quiet}) {
  const {stderr} = process;
  const live = Boolean(stderr.isTTY) && process.env.TERM !== 'dumb';
  const progress = new Progress(state);
  let printedAt = Number.NEGATIVE_INFINITY;
  const clear = () => live && !quiet && stderr.write('\r\u001b[K');
  const note = (/** @type {string} */ text) => {
    if (quiet) return;
    clear();
    stderr.write(`${text}\n`);
  };
  const show = () => {
    if (quiet) return;
    if (live) stderr.write(`\r\u001b[K${progress.line().slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
    else if (performance.now() - printedAt >= lineEveryMs) {
      printedAt = performance.now();
      stderr.write(`${progress.line()}\n`);
    }
  };
  /** @type {NodeJS.Timeout | undefined} */
  let ticking;
  return {
    note,
    /** @param {BattleEvent} event */
    tell(event) {
      progress.take(event);
      if (live && !quiet) ticking ??= setInterval(show, 1000).unref();
      if (event.type === 'broker') note(`Broker: ${event.label}`);
      else if (event.type === 'broker-missing')
        stderr.write(`${live ? '\r\u001b[K' : ''}No broker: ${event.message}\n`);
      else if (event.type === 'cell-failed') {
        clear();
        stderr.write(`Failed: ${nameOfCell(event.cell)}: ${event.message}\n`);
      } else show();
    },
    end() {
      clearInterval(ticking);
      clear();
    },
  };
}

/** How far a battle is. The time left is estimated from the trials so far. */
class Progress {
  /** @param {BattleState} state */
  constructor({cells, progress, values}) {
    const {min, max} = roundBounds(values);
    this.rounds = min;
    this.roundsText = min === max ? String(min) : `${min} to ${max}`;
    this.alive = cells.length;
    const finished = [...progress.values()].reduce((total, {trials}) => total + trials.length, 0);
    this.remaining = cells.length * this.rounds - finished;
    this.total = cells.length * this.rounds;
    this.trialMs = estimateTrialMs(cells);
    this.finishedNow = 0;
    this.spentMs = 0;
    this.startedAt = performance.now();
    this.now = 'preparing';
    this.round = 1;
  }

  /** @param {BattleEvent} event */
  take(event) {
    if (event.type === 'trial') {
      this.now = `${nameOfCell(event.cell)}${event.repeat ? ', repeated because it was disturbed' : ''}`;
      if (event.round > this.rounds) this.#addRound();
      this.round = event.round;
      this.startedAt = performance.now();
    }
    if (event.type === 'trial-done') {
      this.spentMs += performance.now() - this.startedAt;
      this.finishedNow += 1;
      this.trialMs = this.spentMs / this.finishedNow;
      this.remaining = Math.max(0, this.remaining - 1);
    }
    if (event.type === 'cell-failed') {
      this.alive -= 1;
      this.remaining = Math.max(0, this.remaining - (this.rounds - this.round + 1));
    }
  }

  /** --precision needs one more round. */
  #addRound() {
    this.rounds += 1;
    this.total += this.alive;
    this.remaining += this.alive;
  }

  line() {
    const done = this.total - this.remaining;
    const seconds = Math.ceil((this.remaining * this.trialMs) / 1000);
    const left = seconds >= 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds} s`;
    return `[${done}/${this.total}] round ${this.round} of ${this.roundsText}, about ${left} left: ${this.now}`;
  }
}

/** @param {Cell} cell */
function nameOfCell({labels, payloadBytes}) {
  return `${nameOfVariant(labels)}, ${formatBytes(payloadBytes)}`;
}
