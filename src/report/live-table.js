import {mean, median} from 'simple-statistics';
import {progressOf} from '../battle/state.js';
import {formatRate, formatShortMs} from '../columns/figures.js';
import {nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/bytes.js';
import {trialsThatCount} from '../results/comparable.js';
import {groupBy} from '../stats/numbers.js';
import {workloads} from '../workloads/index.js';
import {textTable} from './tables/text-table.js';

/**
 * @import {Cell} from '../battle/cell.js'
 * @import {BattleState, CellProgress} from '../battle/state.js'
 * @import {Paint} from './terminal.js'
 */

/** Of one trial, from 0 to the slowest one of its cell. */
const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** The latest trials of a cell that are drawn. */
const maxBars = 16;

/**
 * The cells of a battle by workload and payload size, with the mean of the trials so far, and a bar for each trial.
 * @param {Pick<BattleState, 'cells' | 'progress'>} state
 * @param {{running: Cell | null, width: number, room: number, paint: Paint}} how running: the cell that is measured now; width: in characters;
 *   room: for so many lines. If there is less than the table needs, the rows around the running cell are shown
 * @returns {string[]}
 */
export function liveTable(state, {running, width, room, paint}) {
  const planned = groupBy(state.cells, ({workload}) => workload);
  const cells = [...planned.values()].flatMap((some) =>
    some.toSorted((one, other) => one.payloadBytes - other.payloadBytes),
  );
  const at = running === null ? -1 : cells.indexOf(running);
  const first = firstShown(cells.length, {at, room: room - 1});
  const rows = cells.map((cell, index) => {
    const progress = progressOf(state, cell.number);
    const above = cells[index - 1];
    // The first row that is shown has all names, whatever is above it.
    const isFirst = index === first || cell.workload !== above?.workload;
    return {
      workload: isFirst ? cell.workload : '',
      payload: isFirst || cell.payloadBytes !== above.payloadBytes ? formatBytes(cell.payloadBytes) : '',
      name: nameOfVariant(cell.labels),
      figure: figureOf(cell, progress),
      trials: `${barsOf(progress, paint)}${cell === running ? '…' : ''}`,
    };
  });
  const [heading, ...lines] = textTable(
    [
      ...(planned.size > 1
        ? [{heading: 'Workload', cells: rows.map(({workload}) => workload), isText: true}]
        : []),
      {heading: 'Payload', cells: rows.map(({payload}) => payload), isText: true, paint: bold},
      {heading: 'Transport', cells: rows.map(({name}) => name), isText: true},
      {heading: 'So far', cells: rows.map(({figure}) => figure)},
      {heading: 'Trials', cells: rows.map(({trials}) => trials), isText: true},
    ],
    width,
  ).lines;
  return [heading, ...lines.slice(first, first + room - 1)];

  /** @param {string} text */
  function bold(text) {
    return paint('bold', text);
  }
}

/**
 * The mean of the trials that count, or their median where that is the figure of the cell: a time, or a rate where cells are compared by their rates.
 * @param {Cell} cell @param {CellProgress} progress
 */
function figureOf({workload}, {trials, error}) {
  if (error) return 'failed';
  if (trials.length === 0) return '';
  const {figure, aggregate = 'mean'} = workloads[workload];
  const typicalMs = {mean, median}[aggregate](trialsThatCount(trials).map(({figureMs}) => figureMs));
  return figure === 'rate' ? `${formatRate(1000 / typicalMs)}/s` : `${formatShortMs(typicalMs)} ms`;
}

/** Equal trials have bars of equal height. Disturbed ones have a colour. @param {CellProgress} progress @param {Paint} paint */
function barsOf({trials}, paint) {
  const shown = trials.slice(-maxBars);
  const slowest = Math.max(...shown.map(({figureMs}) => figureMs));
  return shown
    .map(({figureMs, disturbed}) => {
      const bar = bars[Math.round((figureMs / slowest) * (bars.length - 1))];
      return disturbed ? paint('magenta', bar) : bar;
    })
    .join('');
}

/** @param {number} count of rows @param {{at: number, room: number}} window at: the row to show in its middle */
function firstShown(count, {at, room}) {
  return Math.max(0, Math.min(at - Math.floor(room / 2), count - room));
}
