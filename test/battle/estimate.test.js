import assert from 'node:assert/strict';
import {test} from 'node:test';
import {estimateBattleMs} from '../../src/battle/estimate.js';
import {battleOf} from './scripted-trials.js';

/** @param {Record<string, string[]>} flags */
const estimate = (flags) =>
  estimateBattleMs(battleOf({payload: ['1kb,2kb,3kb,4kb'], rounds: ['3'], ...flags}));

test('one pair of processes for several sizes saves starts and warm-ups of new pairs', () => {
  const [shared, own] = [estimate({}), estimate({'pair-per': ['cell']})];
  const pairsSaved = 3 * 2 * 3;
  assert.ok(own - shared > pairsSaved * 600, `${shared} ms, with a pair per cell ${own} ms`);
});

test('twice as many rounds take twice as long, and a longer measured part takes its time', () => {
  assert.equal(estimate({rounds: ['6']}), 2 * estimate({}));
  const trials = 8 * 3;
  assert.ok(Math.abs(estimate({duration: ['2s']}) - estimate({duration: ['1s']}) - trials * 1000) < 1e-6);
});

test('a warm-up by count or by duration has its length in each trial', () => {
  const without = estimate({warmup: ['0']});
  assert.ok(Math.abs(estimate({warmup: ['3s']}) - without - 8 * 3 * 3000) < 1e-6);
  assert.ok(estimate({warmup: ['1000']}) > without);
});
