import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {sampleVariance} from 'simple-statistics';
import {Pace} from '../../src/battle/estimate.js';
import {groupsOf} from '../../src/battle/groups.js';
import {variancesOf, withSplitTime} from '../../src/battle/rounds.js';
import {progressOf} from '../../src/battle/state.js';
import {randomSource} from '../../src/payload/random.js';
import {firstMs} from '../../src/settings/common-options.js';
import {battleOf} from './scripted-trials.js';

/**
 * @import {BattleState} from '../../src/battle/types.js'
 * @import {JournalTrial} from '../../src/results/types.js'
 */
/** Alternating signs, so that a variance is known. @param {number} count @param {number} deviation @param {number} [centre] */
function around(count, deviation, centre = 0) {
  return Array.from({length: count}, (_, index) =>
    Math.exp(centre + (index % 2 === 0 ? deviation : -deviation)),
  );
}

/**
 * @param {number} round
 * @param {{figureMs: number, windows: number[] | null, wallMs?: number}} found
 * @returns {JournalTrial}
 */
function trial(round, {figureMs, windows, wallMs = firstMs}) {
  return /** @type {JournalTrial} */ (
    /** @type {unknown} */ ({round, figureMs, windows, wallMs, disturbed: false})
  );
}

/**
 * A battle of TCP and HTTP after three rounds. What varies in the one does so the other way round in the other, so that it stays in their ratio.
 * @param {{between: number, within: number, common?: number}} sizes of deviations; common: to both cells alike
 * @param {Record<string, string[]>} [flags]
 */
function afterThree({between, within, common = 0}, flags = {}) {
  const state = battleOf({slices: ['on'], ...flags});
  const shared = around(3, common);
  for (const [index, cell] of state.cells.entries()) {
    const sign = index === 0 ? 1 : -1;
    progressOf(state, cell.number).trials = around(3, sign * between).map((figureMs, round) =>
      trial(round + 1, {
        figureMs: figureMs * shared[round],
        windows: around(10, sign * within).map((ms, part) => ms * around(10, common)[part]),
      }),
    );
  }
  return state;
}

/** @param {BattleState} state @param {number} [round] */
function timesOf(state, round = 4) {
  const pace = new Pace(null);
  const groups = withSplitTime(groupsOf(state.cells, state.values), {
    round,
    trialsOf: ({number}) => progressOf(state, number).trials,
    pace,
  });
  return groups.flat().map(({length}) => length.durationMs);
}

describe('the time of a round', () => {
  it('is the same for all cells in the first three rounds', () => {
    assert.deepEqual(timesOf(afterThree({between: 0.01, within: 1}), 3), [firstMs, firstMs]);
  });

  it('is what Kalibera and Jones give for the variances and the costs of this battle', () => {
    const state = afterThree({between: 0.05, within: 0.1});
    const fixedMs = new Pace(null).expectedMs(
      groupsOf(state.cells, state.values).map((group) =>
        group.map((cell) => ({...cell, length: {...cell.length, durationMs: 0}})),
      ),
    );
    // What two cells differ by, as a part of each: the variance of the difference, halved.
    const within = (firstMs * 2 * sampleVariance(around(10, 0.1).map(Math.log))) / 10;
    const between = 2 * sampleVariance(around(3, 0.05).map(Math.log)) - within / firstMs;
    const best = Math.sqrt((fixedMs * within) / (2 * between));
    for (const ms of timesOf(state)) assert.ok(Math.abs(Number(ms) - best) <= 1, `${ms} and ${best}`);
  });

  it('does not depend on what varies in all cells alike, and so in none of their ratios', () => {
    const sizes = {between: 0.05, within: 0.1};
    assert.deepEqual(timesOf(afterThree({...sizes, common: 0.4})), timesOf(afterThree(sizes)));
  });

  it('is longer for a cell that varies more within a round', () => {
    const state = battleOf({slices: ['on'], transport: ['http,websocket']});
    for (const [index, cell] of state.cells.entries())
      progressOf(state, cell.number).trials = around(3, index === 0 ? 0.05 : -0.05).map((figureMs, round) =>
        trial(round + 1, {figureMs, windows: around(10, index === 0 ? 0.2 : 0.02)}),
      );
    const [one, other] = timesOf(state);
    assert.ok(Number(one) > 1.5 * Number(other), `${one} and ${other}`);
  });

  it('has bounds where rounds do not differ at all, or nothing varies within them', () => {
    assert.deepEqual(timesOf(afterThree({between: 0, within: 0.1})), [3000, 3000]);
    assert.deepEqual(timesOf(afterThree({between: 0.1, within: 0})), [200, 200]);
    assert.deepEqual(timesOf(afterThree({between: 0, within: 0})), [200, 200]);
  });

  it('is what a person says', () => {
    const sizes = {between: 0.05, within: 0.1};
    assert.deepEqual(timesOf(afterThree(sizes, {duration: ['2s']})), [2000, 2000]);
    assert.deepEqual(timesOf(afterThree(sizes, {quick: ['on']}), 3), [200, 200]);
    assert.deepEqual(timesOf(afterThree(sizes, {samples: ['100']})), [null, null]);
    assert.deepEqual(timesOf(afterThree(sizes, {slices: ['off']})), [1000, 1000]);
  });

  it('stays as it was where too few samples have windows', () => {
    const state = afterThree({between: 0.05, within: 0.1});
    progressOf(state, 1).trials = around(3, 0.05).map((figureMs, index) =>
      trial(index + 1, {figureMs, windows: null}),
    );
    const [one, other] = timesOf(state);
    assert.equal(one, firstMs);
    assert.notEqual(other, firstMs);
  });

  it('follows from the rounds before, so that a resumed round has the times of the rest of it', () => {
    const state = afterThree({between: 0.05, within: 0.1});
    const before = timesOf(state);
    progressOf(state, 1).trials.push(trial(4, {figureMs: 9, windows: around(10, 2)}));
    assert.deepEqual(timesOf(state), before);
  });
});

describe('the variances of a cell', () => {
  it('are found again in figures made of them', () => {
    const random = randomSource(7, 'variances');
    const [within, between, wallMs] = [0.02, 0.003, 400];
    const level = () => normal(random) * 0.3;
    const found = Array.from({length: 200}, () => {
      const levels = Array.from({length: 5}, level);
      return variancesOf(
        Array.from({length: 3}, () =>
          levels.map((shared, index) => {
            const own = shared + normal(random) * Math.sqrt(between);
            const windows = Array.from({length: 10}, () =>
              Math.exp(own + normal(random) * Math.sqrt((within * 10) / wallMs)),
            );
            const figureMs = windows.reduce((sum, one) => sum + one, 0) / 10;
            return trial(index + 1, {figureMs, windows, wallMs});
          }),
        ),
      );
    }).flat();
    const meanOf = (/** @type {'within' | 'between'} */ key) =>
      found.reduce((sum, one) => sum + (one?.[key] ?? Number.NaN), 0) / found.length;
    assert.ok(Math.abs(meanOf('within') / within - 1) < 0.05, String(meanOf('within')));
    assert.ok(Math.abs(meanOf('between') / between - 1) < 0.1, String(meanOf('between')));
  });
});

/** By Box and Muller. @param {() => number} random */
function normal(random) {
  return Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
}
