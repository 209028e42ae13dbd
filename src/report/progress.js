import {nameOfCell} from '../columns/names.js';
import {LiveBattle} from './live/live-battle.js';
import {Progress} from './live/progress-of-battle.js';
import {printText} from './terminal.js';

/**
 * @import {Time} from '../battle/rounds.js'
 * @import {BattleEvent} from '../battle/run-battle.js'
 * @import {BattleState} from '../battle/state.js'
 */

/** Where lines cannot be drawn again, a new one is printed this often. */
const lineEveryMs = 5000;

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
    printText(text, stream);
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
      else if (['trial', 'cycle', 'trial-done'].includes(event.type) && !live) showLine();
      live?.onEvent();
    },
    /** @param {string | null} [reason] */
    end(reason = null) {
      live?.end();
      if (reason !== null && !quiet) print(reason);
    },
  };
}
