import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {
  estimateBattleMs,
  estimateGroupMs,
  presetNeeds,
  shareTime,
  withScale,
} from '../../src/battle/estimate.js';
import {groupsOf} from '../../src/battle/groups.js';
import {newBattle} from '../../src/battle/state.js';
import {UsageError} from '../../src/errors.js';
import {battleOf, settingsFor} from './scripted-trials.js';

/** @param {Record<string, string[]>} flags */
function estimate(flags) {
  return estimateBattleMs(battleOf(flags)) / 1000;
}

/** @param {number} seconds @param {number} low @param {number} high */
function isBetween(seconds, low, high) {
  assert.ok(seconds > low && seconds < high, `${seconds} s`);
}

describe('the estimate of a battle', () => {
  const cells = {payload: ['1kb,2kb,3kb'], transport: ['tcp']};

  it('counts a pair of processes for each variant and round, and its measured parts', () => {
    isBetween(estimate({...cells, rounds: ['2'], duration: ['2s'], warmup: ['1s']}), 18, 18 + 2);
    const shared = estimate({...cells, rounds: ['2']});
    const apart = estimate({...cells, rounds: ['2'], 'pair-per': ['cell']});
    isBetween(apart - shared, 2, 6);
  });

  it('counts messages and rates', () => {
    isBetween(estimate({rounds: ['1'], samples: ['100000'], warmup: ['0'], transport: ['rabbitmq']}), 25, 60);
    isBetween(
      estimate({rounds: ['1'], samples: ['1000'], warmup: ['0'], rate: ['100'], transport: ['tcp']}),
      10,
      11,
    );
  });

  it('counts the steps of a search', () => {
    const search = {'find-max-rate': ['5ms'], workload: ['max-rate'], rounds: ['1'], transport: ['tcp']};
    isBetween(estimate({...search, duration: ['2s']}), 55, 70);
  });

  it('counts the messages that the p99 of each step needs, where they take longer than the step is to take', () => {
    const search = {'find-max-rate': ['50ms'], rounds: ['1'], transport: ['websocket'], duration: ['200ms']};
    const [small, large] = ['1kb', '1000kb'].map((payload) => estimate({...search, payload: [payload]}));
    assert.ok(large > 2 * small, `${small} s and ${large} s`);
  });

  it('counts all bytes of a queue: the default one took 417 s on two cores', () => {
    const sizes = {payload: ['1kb,100kb,500kb,1000kb'], 'delivery-mode': ['1,2']};
    isBetween(estimate({workload: ['queue'], transport: ['rabbitmq'], ...sizes}), 280, 520);
  });

  it('counts the first requests of a pair with a cache as misses: these three rounds took 139 s on two cores', () => {
    const sizes = {payload: ['1kb,100kb,500kb,1000kb'], 'delivery-mode': ['1,2'], rounds: ['3']};
    isBetween(estimate({workload: ['cached'], transport: ['tcp,rabbitmq'], ...sizes}), 105, 150);
  });

  it('is for the planned rounds: five, or as many as asked for', () => {
    assert.equal(estimate({rounds: ['5']}), estimate({}));
    assert.equal(estimate({rounds: ['10']}), 2 * estimate({}));
  });

  it('includes the warm-up of a pair once', () => {
    const {cells: planned, values} = battleOf({payload: ['1kb,2kb'], transport: ['http']});
    const [, http] = groupsOf(planned, values);
    const [both, first, second] = [http, [http[0]], [http[1]]].map(estimateGroupMs);
    isBetween((first + second - both) / 1000, 1, 3);
  });

  /** @param {Record<string, string[]>} flags */
  const ofFour = (flags) => 1000 * estimate({payload: ['1kb,2kb,3kb,4kb'], rounds: ['3'], ...flags});

  it('one pair of processes for several sizes saves starts and warm-ups of new pairs', () => {
    const [shared, own] = [ofFour({}), ofFour({'pair-per': ['cell']})];
    const pairsSaved = 3 * 2 * 3;
    assert.ok(own - shared > pairsSaved * 600, `${shared} ms, with a pair per cell ${own} ms`);
  });

  it('twice as many rounds take twice as long, and a longer measured part takes its time', () => {
    assert.equal(ofFour({rounds: ['6']}), 2 * ofFour({}));
    const trials = 8 * 3;
    assert.ok(Math.abs(ofFour({duration: ['2s']}) - ofFour({duration: ['1s']}) - trials * 1000) < 1e-6);
  });

  it('a warm-up by count or by duration has its length in each trial', () => {
    const without = ofFour({warmup: ['0']});
    assert.ok(Math.abs(ofFour({warmup: ['3s']}) - without - 8 * 3 * 3000) < 1e-6);
    assert.ok(ofFour({warmup: ['1000']}) > without);
  });
});

const flags = {preset: ['coralmq'], scale: ['auto']};

/** @param {number} scale */
function estimateAt(scale) {
  return estimateBattleMs(newBattle(settingsFor({...flags, scale: [String(scale)]})));
}

describe('--scale auto', () => {
  it('is the largest scale of two digits that fits the budget', () => {
    for (const budgetMs of [30_000, 60_000, 300_000]) {
      const {scale} = withScale(settingsFor(flags), budgetMs).values;
      assert.ok(typeof scale === 'number' && scale === Number(scale.toPrecision(2)));
      assert.ok(estimateAt(scale) <= budgetMs, `${scale}`);
      assert.ok(estimateAt(scale * 1.11) > budgetMs, `${scale}`);
    }
  });

  it('takes the budget that is given, and five minutes where a preset with rounds unsets it', () => {
    const scaleFor = (/** @type {Record<string, string[]>} */ more) =>
      withScale(settingsFor({...flags, ...more})).values.scale;
    assert.equal(scaleFor({}), scaleFor({budget: ['5m']}));
    assert.ok(scaleFor({budget: ['1m']}) < scaleFor({}));
  });

  it('is never more than the text has', () => {
    assert.equal(withScale(settingsFor(flags), 1e9).values.scale, 1);
  });

  it('is refused if even the smallest scale takes longer, with the time', () => {
    assert.throws(
      () => withScale(settingsFor({...flags, preset: ['endurox-01']}), 1000),
      (error) =>
        error instanceof UsageError &&
        /at the smallest scale endurox-01 takes about \d+ s; the budget is 1 s/.test(error.message),
    );
  });

  it('changes nothing with a number, or where a scale has no effect', () => {
    const given = settingsFor({...flags, scale: ['0.5']});
    assert.equal(withScale(given), given);
    for (const without of [settingsFor({scale: ['auto']}), settingsFor({...flags, samples: ['10']})])
      assert.equal(withScale(without, 1), without);
  });
});

describe('the time of several presets', () => {
  it('is shared: each gets what it needs, those that can use little leave the rest to the others', () => {
    const needs = [
      {leastMs: 10, fullMs: 1000},
      {leastMs: 5, fullMs: 8},
      {leastMs: 20, fullMs: 200},
    ];
    assert.deepEqual(shareTime(needs, 10_000), [1000, 8, 200]);
    assert.deepEqual(shareTime(needs, 138), [60, 8, 70]);
    assert.deepEqual(shareTime(needs, 30), [10, 5, 20]);
  });

  it('is that of the given scale and of any number of rounds, if there is one', () => {
    const {leastMs, fullMs} = presetNeeds(settingsFor({...flags, scale: ['0.1']}));
    assert.deepEqual([leastMs, fullMs], [estimateAt(0.1), Number.POSITIVE_INFINITY]);
    const auto = presetNeeds(settingsFor(flags));
    assert.ok(auto.leastMs < leastMs && auto.fullMs === estimateAt(1));
    assert.deepEqual(shareTime([{leastMs, fullMs}, auto], leastMs + 1e9), [
      1e9 + leastMs - auto.fullMs,
      auto.fullMs,
    ]);
  });
});
