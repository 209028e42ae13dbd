import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {estimateBattleMs} from '../../src/battle/estimate.js';
import {presetNeeds, shareTime, withScale} from '../../src/battle/scale.js';
import {newBattle} from '../../src/battle/state.js';
import {UsageError} from '../../src/errors.js';
import {settingsFor} from './scripted-trials.js';

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
