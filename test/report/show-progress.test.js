import assert from 'node:assert/strict';
import {beforeEach, describe, it} from 'node:test';
import {progressOf} from '../../src/battle/state.js';
import {CpuUse, liveTable, makeProgress, RedrawnLines} from '../../src/report/show-progress.js';
import {battleOf, completed} from '../battle/scripted-trials.js';
import {injectClock} from '../workloads/injected-clock.js';

/** @import {BattleState, Cell} from '../../src/battle/types.js' */

const clock = injectClock();
let text = '';

beforeEach(() => {
  text = '';
});

/**
 * Each group takes 5 s for each of its cells.
 * @param {BattleState} state
 * @param {{quiet?: boolean, isTTY?: boolean}} [how]
 */
function progressFor(state, {quiet = false, isTTY = false} = {}) {
  const {budgetMs} = state.values;
  const time = {
    remainingMs: () => (budgetMs ?? Number.POSITIVE_INFINITY) - clock.nowMs,
    expectedMs: (/** @type {readonly (readonly unknown[])[]} */ groups) => 5000 * groups.flat().length,
  };
  const write = (/** @type {string} */ part) => {
    text += part;
    return true;
  };
  return makeProgress(state, time, {quiet}, {write, isTTY, columns: 100, rows: 24});
}

/**
 * A trial of the nth cell that takes so long.
 * @param {BattleState} state
 * @param {ReturnType<typeof makeProgress>} progress
 * @param {{cell: number, round: number, ms?: number, fails?: boolean}} trial
 */
function run(state, progress, {cell: number, round, ms = 5000, fails = false}) {
  const cell = state.cells[number - 1];
  progress.onEvent({type: 'trial', cell, round});
  clock.nowMs += ms;
  const cellProgress = progressOf(state, number);
  if (fails) {
    cellProgress.error = {code: 'PB_LOST', message: 'One was lost.', exitCode: 1};
    progress.onEvent({type: 'cell-failed', cell, message: 'One was lost.'});
    return;
  }
  cellProgress.trials.push(/** @type {any} */ ({...completed(), round}));
  progress.onEvent({type: 'trial-done', cell, round, figureMs: 1, disturbed: false});
}

/** What the lines say was done, of how much. */
function counts() {
  return [...text.matchAll(/\[(\d+\/\d+)\]/g)].map(([, count]) => count);
}

describe('the progress of a battle', () => {
  it('shows what runs, how far it is, and the time left', () => {
    const state = battleOf({rounds: ['2']});
    const progress = progressFor(state);
    progress.onEvent({type: 'round', round: 1, groups: state.cells.map((cell) => [cell])});
    run(state, progress, {cell: 1, round: 1, ms: 10_000});
    run(state, progress, {cell: 2, round: 1, ms: 20_000});
    assert.deepEqual(text.trimEnd().split('\n'), [
      '[0/4] round 1 of 2, about 20 s left: TCP, 1kb',
      '[1/4] round 1 of 2, about 15 s left: TCP, 1kb',
      '[2/4] round 1 of 2, about 10 s left: HTTP (node:http), 1kb',
    ]);
  });

  it('counts the time down while trials that are measured in turn have not ended', () => {
    const state = battleOf({rounds: ['2']});
    const progress = progressFor(state);
    const groups = state.cells.map((cell) => [cell]);
    progress.onEvent({type: 'round', round: 1, groups});
    for (const done of [0.2, 0.8]) {
      clock.nowMs += 8000;
      progress.onEvent({type: 'cycle', cells: state.cells, done});
    }
    assert.deepEqual(
      [...text.matchAll(/\[0\/4\].*, about (\d+ s) left/g)].map(([, left]) => left),
      ['12 s', '4 s'],
    );
  });

  it('prints a line at most every 5 s where it cannot be overwritten', () => {
    const state = battleOf({rounds: ['4'], transport: ['tcp']});
    const progress = progressFor(state);
    for (const round of [1, 2, 3, 4]) run(state, progress, {cell: 1, round, ms: 2500});
    assert.deepEqual(counts(), ['0/4', '2/4', '4/4']);
    assert.equal(text.trimEnd().split('\n').at(-1), '[4/4] storing the results');
  });

  it('shows what the budget leaves, and the rounds that were added', () => {
    const state = battleOf({budget: ['80s']});
    const progress = progressFor(state);
    const groups = state.cells.map((cell) => [cell]);
    for (const round of [1, 2, 3, 4, 5]) {
      progress.onEvent({type: 'round', round, groups});
      for (const cell of [1, 2]) run(state, progress, {cell, round, ms: 6000});
    }
    progress.onEvent({type: 'round', round: 6, groups: [groups[1]]});
    run(state, progress, {cell: 2, round: 6});
    const lines = text.trimEnd().split('\n');
    assert.equal(lines[0], '[0/10] round 1 of 5 or more, at most 1 min 20 s left: TCP, 1kb');
    assert.equal(lines[1], '[1/10] round 1 of 5 or more, at most 1 min 14 s left: TCP, 1kb');
    assert.equal(lines.at(-1), '[11/11] round 6, at most 15 s left: HTTP (node:http), 1kb');
  });

  it('shows how long the five rounds take, when that is longer than the budget', () => {
    const state = battleOf({budget: ['30s']});
    const progress = progressFor(state);
    run(state, progress, {cell: 1, round: 1});
    assert.match(text, /^\[0\/10\] round 1 of 5 or more, about 50 s left: TCP, 1kb$/m);
  });

  it('shows the time that a budget leaves to a number of rounds', () => {
    const state = battleOf({rounds: ['20'], budget: ['1m']});
    run(state, progressFor(state), {cell: 1, round: 1});
    assert.match(text, /^\[0\/40\] round 1 of 20, at most 1 min 0 s left: TCP, 1kb$/m);
  });

  it('expects no further trials of a failed cell, and shows why it failed', () => {
    const state = battleOf({rounds: ['3']});
    const progress = progressFor(state);
    run(state, progress, {cell: 1, round: 1});
    run(state, progress, {cell: 2, round: 1, fails: true});
    run(state, progress, {cell: 1, round: 2});
    assert.match(text, /^Failed: HTTP \(node:http\), 1kb: One was lost\.$/m);
    assert.deepEqual(counts(), ['0/6', '1/6', '1/3', '2/3']);
  });

  it('counts added rounds also after --resume', () => {
    const state = battleOf({precision: ['5%'], transport: ['tcp']});
    for (let round = 1; round <= 7; round += 1)
      progressOf(state, 1).trials.push(/** @type {any} */ ({...completed(), round}));
    const progress = progressFor(state);
    progress.onEvent({type: 'round', round: 8, groups: [[state.cells[0]]]});
    run(state, progress, {cell: 1, round: 8});
    assert.deepEqual(counts(), ['7/8', '8/8']);
    assert.match(text, /round 8, at most 5 min 0 s left/);
  });

  it('ends with the reason', () => {
    const progress = progressFor(battleOf());
    progress.end('Every mean is precise.');
    assert.equal(text, 'Every mean is precise.\n');
    progressFor(battleOf(), {quiet: true}).end('Every mean is precise.');
    assert.equal(text, 'Every mean is precise.\n');
  });

  it('draws the figures so far on a terminal, and clears them at the end', (context) => {
    const {TERM} = process.env;
    process.env.TERM = 'xterm';
    context.after(() => {
      if (TERM === undefined) delete process.env.TERM;
      else process.env.TERM = TERM;
    });
    const state = battleOf({rounds: ['1'], transport: ['tcp']});
    const progress = progressFor(state, {isTTY: true});
    progress.note('Seed 1.');
    run(state, progress, {cell: 1, round: 1});
    progress.end('Every mean is precise.');
    assert.ok(
      text.startsWith('Seed 1.\n\r[0/1] round 1 of 1, about 5 s left\u001b[K\n'),
      JSON.stringify(text),
    );
    assert.match(text, /TCP +\d+(\.\d+)? ms {2}█/);
    assert.ok(text.endsWith('\r\u001b[5A\u001b[JEvery mean is precise.\n'), JSON.stringify(text.slice(-60)));
  });

  it('shows only failures and warnings with --quiet', () => {
    const state = battleOf({rounds: ['2']});
    const progress = progressFor(state, {quiet: true});
    progress.note('Broker: one');
    progress.warn('The host is busy.');
    progress.onEvent({type: 'broker', label: 'RabbitMQ'});
    run(state, progress, {cell: 1, round: 1});
    run(state, progress, {cell: 2, round: 1, fails: true});
    progress.onEvent({type: 'broker-missing', message: 'There is no RabbitMQ.'});
    assert.equal(
      text,
      'Warning: The host is busy.\nFailed: HTTP (node:http), 1kb: One was lost.\nNo broker: There is no RabbitMQ.\n',
    );
  });
});

/** A core that has used and idled for so many ms. @param {number} user @param {number} idle */
function core(user, idle) {
  return {model: '', speed: 0, times: {user, nice: 0, sys: 0, idle, irq: 0}};
}

describe('the use of the CPU', () => {
  it('is that of all cores since the last question', () => {
    const readings = [
      [core(500, 500), core(0, 1000)],
      [core(600, 500), core(50, 1050)],
      [core(600, 600), core(50, 1150)],
    ];
    const use = new CpuUse(() => readings.shift() ?? []);
    assert.equal(use.sinceLast(), 0.75);
    assert.equal(use.sinceLast(), 0);
  });

  it('is unknown while no time has passed', () => {
    const use = new CpuUse(() => [core(1, 1)]);
    assert.equal(use.sinceLast(), null);
  });
});

describe('lines that are drawn again', () => {
  let text = '';
  /** @type {{write: (part: string) => boolean, columns: number, rows: number}} */
  let screen;

  beforeEach(() => {
    text = '';
    const write = (/** @type {string} */ part) => {
      text += part;
      return true;
    };
    screen = {write, columns: 20, rows: 5};
  });

  /** What was written since the last question. */
  function written() {
    const part = text;
    text = '';
    return part;
  }

  it('begin where they began before', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['one', 'two']);
    assert.equal(written(), '\rone\u001b[K\ntwo\u001b[K\n\u001b[J');
    lines.draw(['three']);
    assert.equal(written(), '\r\u001b[2Athree\u001b[K\n\u001b[J');
    lines.clear();
    assert.equal(written(), '\r\u001b[1A\u001b[J');
    lines.clear();
    assert.equal(written(), '');
  });

  it('are no more than there is room for, and none is longer than the screen is wide', () => {
    const lines = new RedrawnLines(screen);
    assert.equal(lines.room, 4);
    lines.draw(['1', '2', '3', '4', '5']);
    assert.equal(written(), '\r1\u001b[K\n2\u001b[K\n3\u001b[K\n4\u001b[K\n\u001b[J');
    lines.clear();
    written();
    lines.draw(['\u001b[33m12345678901234567890\u001b[39m']);
    assert.equal(written(), '\r1234567890123456789\u001b[K\n\u001b[J');
  });

  it('count the columns of wide characters, and none of marks that join others', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['日本語の輸送と層', '1234567890123456e\u0301xyz', '12345678901234567日本']);
    assert.equal(
      written(),
      '\r日本語の輸送と層\u001b[K\n1234567890123456e\u0301xy\u001b[K\n12345678901234567日\u001b[K\n\u001b[J',
    );
    screen.columns = 8;
    lines.draw(['now']);
    assert.equal(written(), '\r\u001b[8Anow\u001b[K\n\u001b[J');
  });

  it('are found again when the screen has become narrower', () => {
    const lines = new RedrawnLines(screen);
    lines.draw(['a line of 18 chars', '', 'short']);
    written();
    screen.columns = 8;
    lines.draw(['now']);
    // 3 rows, an empty one, and one.
    assert.equal(written(), '\r\u001b[5Anow\u001b[K\n\u001b[J');
  });

  it('fit into 80 by 24 where the screen does not say its size', () => {
    const lines = new RedrawnLines({...screen, columns: 0, rows: 0});
    assert.equal(lines.room, 23);
    lines.draw(['x'.repeat(100)]);
    assert.equal(written(), `\r${'x'.repeat(79)}\u001b[K\n\u001b[J`);
  });
});

/** @param {BattleState} state @param {{number: number, figuresMs: number[], disturbed?: number}} cell disturbed: the index of such a trial */
function addTrials(state, {number, figuresMs, disturbed = -1}) {
  for (const [index, figureMs] of figuresMs.entries()) {
    const trial = {...completed(), figureMs, round: index + 1, disturbed: index === disturbed};
    progressOf(state, number).trials.push(/** @type {any} */ (trial));
  }
}

/** @param {BattleState} state @param {{running?: Cell | null, room?: number, paint?: (format: string, text: string) => string}} [how] */
function tableOf(state, {running = null, room = 30, paint = (_format, text) => text} = {}) {
  return liveTable(state, {running, width: 80, room, paint});
}

describe('the table of a battle that runs', () => {
  it('has the mean so far and a bar for each trial, from zero', () => {
    const state = battleOf({payload: ['1kb,10kb'], transport: ['tcp']});
    addTrials(state, {number: 1, figuresMs: [0.5, 1, 0.25]});
    assert.deepEqual(tableOf(state, {running: state.cells[1]}), [
      'Payload  Transport    So far  Trials',
      '1kb      TCP        0.583 ms  ▅█▃',
      '10kb     TCP                  …',
    ]);
  });

  it('has the median so far where that is the figure of a cell', () => {
    const state = battleOf({payload: ['1kb'], transport: ['tcp'], workload: ['max-rate']});
    addTrials(state, {number: 1, figuresMs: [0.01, 0.01, 1]});
    assert.match(tableOf(state)[1], /^1kb +TCP +100000\/s {2}/);
  });

  it('names a payload once', () => {
    const state = battleOf({payload: ['1kb']});
    const lines = tableOf(state);
    assert.ok(lines.length > 2);
    assert.deepEqual(
      lines.slice(1).map((line) => line.startsWith('1kb')),
      [true, ...lines.slice(2).map(() => false)],
    );
  });

  it('names the workloads where there are several', () => {
    const state = battleOf({payload: ['1kb,2kb'], transport: ['tcp'], workload: ['rtt,stream']});
    assert.deepEqual(tableOf(state), [
      'Workload  Payload  Transport  So far  Trials',
      'rtt       1kb      TCP',
      '          2kb      TCP',
      'stream    1kb      TCP',
      '          2kb      TCP',
    ]);
  });

  it('shows a rate where cells are compared by their rates', () => {
    const state = battleOf({payload: ['1kb'], transport: ['tcp'], workload: ['stream']});
    addTrials(state, {number: 1, figuresMs: [0.02, 0.02]});
    assert.match(tableOf(state)[1], /^1kb +TCP +50000\/s {2}██$/);
  });

  it('marks disturbed trials, which count until three are undisturbed', () => {
    const state = battleOf({payload: ['1kb'], transport: ['tcp']});
    addTrials(state, {number: 1, figuresMs: [1, 4, 1, 1], disturbed: 1});
    const paint = (/** @type {string} */ format, /** @type {string} */ text) =>
      format === 'magenta' ? `\u001b[35m${text}\u001b[39m` : text;
    assert.ok(tableOf(state, {paint})[1].endsWith('  1.00 ms  ▃\u001b[35m█\u001b[39m▃▃'));
  });

  it('says which cell has failed, and draws its last sixteen trials', () => {
    const state = battleOf({payload: ['1kb'], transport: ['tcp']});
    addTrials(state, {number: 1, figuresMs: Array.from({length: 20}, (_, index) => (index < 4 ? 100 : 1))});
    progressOf(state, 1).error = {code: 'PB_LOST', message: 'One was lost.', exitCode: 1};
    assert.match(tableOf(state)[1], /failed {2}█{16}$/);
  });

  it('shows the rows around the running cell where there is room for few', () => {
    const sizes = ['1kb', '2kb', '3kb', '4kb', '5kb', '6kb'];
    const state = battleOf({payload: [sizes.join(',')], transport: ['tcp']});
    const shown = (/** @type {number} */ index) =>
      tableOf(state, {running: state.cells[index], room: 4})
        .slice(1)
        .map((line) => line.slice(0, 3));
    assert.deepEqual(shown(0), ['1kb', '2kb', '3kb']);
    assert.deepEqual(shown(3), ['3kb', '4kb', '5kb']);
    assert.deepEqual(shown(5), ['4kb', '5kb', '6kb']);
  });

  it('names the payload and the workload in the first of the rows that are shown', () => {
    const state = battleOf({
      payload: ['1kb,2kb'],
      transport: ['tcp,websocket,http'],
      workload: ['rtt,pipeline'],
    });
    const inPipeline = state.cells.filter(({workload}) => workload === 'pipeline');
    const [, lines] = [0, 1].map((index) => tableOf(state, {running: inPipeline[index], room: 4}).slice(1));
    assert.match(lines[0], /^(rtt|pipeline) +[12]kb /);
    const last = state.cells.filter(
      ({payloadBytes, workload}) => payloadBytes === 2048 && workload === 'rtt',
    );
    assert.match(tableOf(state, {running: last[last.length - 1], room: 2})[1], /^rtt +2kb /);
  });
});
