import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {progressOf} from '../../src/battle/state.js';
import {liveTable} from '../../src/report/live-table.js';
import {battleOf, completed} from '../battle/scripted-trials.js';

/**
 * @import {BattleState} from '../../src/battle/state.js'
 * @import {Cell} from '../../src/battle/cell.js'
 */

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
