import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {median} from 'simple-statistics';
import {randomSource} from '../../src/payload/random.js';
import {ratioOf} from '../../src/stats/ratio.js';
import {verdictOfRatio} from '../../src/stats/thresholds.js';

/** @param {readonly number[]} figures @param {number} [first] the first round */
function trialsOf(figures, first = 1) {
  return figures.map((figureMs, index) => ({round: first + index, figureMs}));
}

/** Student's data on sleep, which R has as an example. */
const sleep = {
  first: [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2],
  second: [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
};

describe('the ratio of two cells', () => {
  it('is that of the means, paired by round: what is common to a round does not widen its interval', () => {
    const rounds = [1, 2, 0.5, 1.4, 0.8];
    const slower = [1.1, 1.09, 1.11, 1.1, 1.1];
    const {ratio, ci95, pValue, paired} = ratioOf(
      trialsOf(rounds.map((level, round) => level * slower[round])),
      trialsOf(rounds),
    );
    assert.ok(paired && ci95);
    assert.ok(Math.abs(ratio - 1.1) < 0.01);
    assert.ok(ci95[0] > 1.08 && ci95[1] < 1.12, String(ci95));
    assert.equal(pValue, 2 / 32);
  });

  it('uses only the rounds in which both ran', () => {
    const both = {ones: trialsOf([2, 2.1, 1.9]), others: trialsOf([1, 1.05, 0.95])};
    assert.deepEqual(
      ratioOf(both.ones, [...both.others, {round: 4, figureMs: 99}]),
      ratioOf(both.ones, both.others),
    );
  });

  it('takes the mean of a round that was repeated', () => {
    const others = trialsOf([1, 1, 1]);
    const repeated = [...trialsOf([2, 2, 1]), {round: 3, figureMs: 3}];
    const {ratio, ci95} = ratioOf(repeated, others);
    assert.equal(ratio, 2);
    assert.deepEqual(ci95, [2, 2]);
  });

  it('has the interval of the published example, paired', () => {
    // R: t.test(extra ~ group, data = sleep, paired = TRUE) has the interval -2.4598858 to -0.7001142.
    const {ci95} = ratioOf(trialsOf(sleep.first.map(Math.exp)), trialsOf(sleep.second.map(Math.exp)));
    assert.ok(ci95 && Math.abs(Math.log(ci95[1] / ci95[0]) - (2.459_885_8 - 0.700_114_2)) < 1e-6);
  });

  it("has the interval of Welch's published example where fewer than three rounds are common", () => {
    // R: t.test(extra ~ group, data = sleep) has 17.776 degrees of freedom and the interval -3.3654832 to 0.2054832.
    const ones = trialsOf(sleep.first.map(Math.exp));
    const {ci95, pValue, paired} = ratioOf(ones, trialsOf(sleep.second.map(Math.exp), 9));
    assert.equal(paired, false);
    assert.ok(ci95 && Math.abs(Math.log(ci95[1] / ci95[0]) - (3.365_483_2 + 0.205_483_2)) < 1e-6);
    assert.ok(pValue && pValue > 0.05 && pValue < 0.1, String(pValue));
  });

  it('is that of the medians where a cell has the median of its trials', () => {
    const {ratio} = ratioOf(trialsOf([2, 2, 90]), trialsOf([1, 1, 1]), median);
    assert.equal(ratio, 2);
  });

  it('has no interval for a single trial', () => {
    assert.deepEqual(ratioOf(trialsOf([2]), trialsOf([1])), {
      ratio: 2,
      ci95: null,
      pValue: null,
      paired: false,
    });
  });

  it('of the same to the same covers 1 in 93 to 97 %, where rounds explain much of the variance', () => {
    const next = randomSource(5, 'same against same');
    const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    let covered = 0;
    for (let run = 0; run < 2000; run += 1) {
      const rounds = Array.from({length: 5}, () => 0.06 * normal());
      const cell = () => trialsOf(rounds.map((level) => Math.exp(level + 0.06 * normal())));
      const {ci95} = ratioOf(cell(), cell());
      if (ci95 && ci95[0] <= 1 && ci95[1] >= 1) covered += 1;
    }
    assert.ok(covered >= 1860 && covered <= 1940, String(covered));
  });
});

describe('what a ratio shows', () => {
  /** @type {[string, number, [number, number] | null, string][]} */
  const cases = [
    ['an interval above 1', 1.2, [1.1, 1.3], 'slower'],
    ['an interval below 1', 0.8, [0.7, 0.9], 'faster'],
    ['an interval that holds 1', 1.2, [0.9, 1.5], 'no difference shown'],
    ['a difference below 2 %, however sure', 1.01, [1.009, 1.011], 'no difference shown'],
    ['a difference below 2 % downwards', 0.99, [0.989, 0.991], 'no difference shown'],
    ['no interval', 9, null, 'no difference shown'],
  ];
  for (const [name, ratio, ci95, expected] of cases) {
    it(`of ${name} is: ${expected}`, () => {
      assert.equal(verdictOfRatio({ratio, ci95}), expected);
    });
  }
});
