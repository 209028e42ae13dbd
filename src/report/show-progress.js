import {cpus} from 'node:os';
import {stripVTControlCharacters} from 'node:util';
import {mean, median, sum} from 'simple-statistics';
import {progressOf} from '../battle/state.js';
import {formatRate, formatShortMs} from '../columns/figures.js';
import {nameOfCell, nameOfVariant} from '../columns/names.js';
import {formatBytes} from '../payload/bytes.js';
import {trialsThatCount} from '../results/comparable.js';
import {groupBy} from '../stats/numbers.js';
import {columnsOf, widthOf} from '../text/lines.js';
import {workloads} from '../workloads/index.js';
import {formatElapsed, Progress} from './progress.js';
import {textTable} from './tables/text-table.js';
import {painter, printText} from './terminal.js';

/**
 * @import {BattleEvent, BattleState, Cell, CellProgress, Time} from '../battle/types.js'
 * @import {Paint} from './types.js'
 */

/** A stream whose lines cannot be drawn again gets a new line this often. */
const lineEveryMs = 5000;

/**
 * Shows on standard error the progress of a battle and the estimated time left. On a terminal, the current figures are shown, too, and
 * everything is redrawn in place. Elsewhere, a line is printed every few seconds. With --quiet only failures and warnings are shown.
 * @param {BattleState} state @param {Time} time @param {{quiet: boolean}} values settings
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
    /** Prints a text even with --quiet. @param {string} text */
    tell: print,
    /** @param {string} text */
    warn: (text) => print(`Warning: ${text}`),
    /** @param {BattleEvent} event */
    onEvent(event) {
      progress.onEvent(event);
      if (event.type === 'broker-missing') print(`${missing(event)}: ${event.message}`);
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

/** A broker may be there, and the package that connects to it may not. @param {{code?: string}} event */
function missing({code}) {
  return code === 'PB_NOT_INSTALLED' ? 'Not installed' : 'No broker';
}

const drawEveryMs = 1000;

class LiveBattle {
  #startedAt = performance.now();
  #cpu = new CpuUse();
  /** The used share of this host's CPU. @type {number | null} */
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

  /** A tick does not lay out the table, which would take CPU time from the measurement. */
  #tick() {
    this.#used = this.#cpu.sinceLast();
    this.#draw();
  }

  #draw() {
    this.lines.draw([...this.#heading(), ...this.#table]);
  }

  #heading() {
    const elapsed = `${formatElapsed(performance.now() - this.#startedAt)} so far`;
    const use = this.#used === null ? '' : `, ${Math.round(this.#used * 100)} % of this host's CPU in use`;
    return [this.progress.status().text, `${elapsed}${use}`, ''];
  }
}

/** Measures the share of this host's CPU that all processes used since the previous call. */
export class CpuUse {
  /** @param {typeof cpus} [read] */
  constructor(read = cpus) {
    this.read = read;
    this.last = totals(read());
  }

  /** @returns {number | null} from 0 to 1; null if no time has passed */
  sinceLast() {
    const now = totals(this.read());
    const passed = now.all - this.last.all;
    const idle = now.idle - this.last.idle;
    if (passed <= 0) return null;
    this.last = now;
    return 1 - idle / passed;
  }
}

/** @param {ReturnType<typeof cpus>} cores */
function totals(cores) {
  return {
    all: sum(cores.flatMap(({times}) => Object.values(times))),
    idle: sum(cores.map(({times}) => times.idle)),
  };
}

/** @typedef {Pick<NodeJS.WriteStream, 'write' | 'columns' | 'rows'>} Screen */

/** The assumed size of a terminal that does not report its size. */
const usualSize = {columns: 80, rows: 24};

const clearToEndOfLine = '\u001b[K';
const clearToEndOfScreen = '\u001b[J';

/**
 * Redraws lines at the end of a terminal in place. The cursor stays visible on the empty line below them. So nothing has to be restored,
 * however the process ends.
 */
export class RedrawnLines {
  /** The lines on the screen, without colours. @type {readonly string[]} */
  #drawn = [];

  /** @param {Screen} stream */
  constructor(stream) {
    this.stream = stream;
  }

  get room() {
    return sizeOf(this.stream).rows - 1;
  }

  /** @param {readonly string[]} lines lines beyond the height are left out; longer ones are cut */
  draw(lines) {
    const {columns} = sizeOf(this.stream);
    const shown = lines.slice(0, this.room).map((line) => cut(line, columns - 1));
    const text = shown.map((line) => `${line}${clearToEndOfLine}\n`).join('');
    this.stream.write(`${this.#toFirstLine()}${text}${clearToEndOfScreen}`);
    this.#drawn = shown.map((line) => stripVTControlCharacters(line));
  }

  clear() {
    if (this.#drawn.length > 0) this.stream.write(`${this.#toFirstLine()}${clearToEndOfScreen}`);
    this.#drawn = [];
  }

  /** A terminal that has become narrower has wrapped the lines that are too long. */
  #toFirstLine() {
    const {columns} = sizeOf(this.stream);
    const rowsOf = (/** @type {string} */ line) => Math.max(1, Math.ceil(columnsOf(line) / columns));
    const rows = sum(this.#drawn.map(rowsOf));
    return rows > 0 ? `\r\u001b[${rows}A` : '\r';
  }
}

const characters = new Intl.Segmenter();

/** @param {Screen} stream */
function sizeOf({columns, rows}) {
  return {columns: columns || usualSize.columns, rows: rows || usualSize.rows};
}

/** A line that is cut loses its colours. @param {string} line @param {number} width */
function cut(line, width) {
  if (columnsOf(line) <= width) return line;
  let shown = '';
  for (const {segment} of characters.segment(stripVTControlCharacters(line))) {
    if (columnsOf(shown + segment) > width) break;
    shown += segment;
  }
  return shown;
}

/** Bars of a trial, from 0 to the slowest trial of its cell. */
const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** Only this many of the latest trials of a cell have a bar. */
const maxBars = 16;

/**
 * Lists the cells of a battle by workload and payload size, with the mean of the trials so far, and a bar for each trial.
 * @param {Pick<BattleState, 'cells' | 'progress'>} state
 * @param {{running: Cell | null, width: number, room: number, paint: Paint}} how running: the current cell; width: in characters; room: in lines.
 *   If the table needs more room, the rows around the running cell are shown
 */
export function liveTable(state, {running, width, room, paint}) {
  const planned = groupBy(state.cells, ({workload}) => workload);
  const cells = [...planned.values()].flatMap((some) =>
    some.toSorted((one, other) => one.payloadBytes - other.payloadBytes),
  );
  const at = running === null ? -1 : cells.indexOf(running);
  const rowsShown = room - 1;
  const first = Math.max(0, Math.min(at - Math.floor(rowsShown / 2), cells.length - rowsShown));
  const rows = cells.map((cell, index) => {
    const progress = progressOf(state, cell.number);
    const above = cells[index - 1];
    // The first shown row has all names, even if the row above has the same.
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
  return [heading, ...lines.slice(first, first + rowsShown)];

  /** @param {string} text */
  function bold(text) {
    return paint('bold', text);
  }
}

/**
 * Returns the mean of the trials that count, or their median if the workload uses it: a time, or a rate for a workload compared by rate.
 * @param {Cell} cell @param {CellProgress} progress
 */
function figureOf({workload}, {trials, error}) {
  if (error) return 'failed';
  if (trials.length === 0) return '';
  const {figure, aggregate = 'mean'} = workloads[workload];
  const typicalMs = {mean, median}[aggregate](trialsThatCount(trials).map(({figureMs}) => figureMs));
  return figure === 'rate' ? `${formatRate(1000 / typicalMs)}/s` : `${formatShortMs(typicalMs)} ms`;
}

/** Equal trials have bars of equal height. Disturbed trials have a colour. @param {CellProgress} progress @param {Paint} paint */
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
