import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {sharedDisturbance, spoilsRatio, verdictOnRatio} from '../../src/verdict/comparison.js';

/** @param {string} code */
function warning(code) {
  return {code, message: `What is ${code}.`, advice: 'Do it again.'};
}

/** @param {string[]} codes @param {number | null} [slices] @param {number | null} [foreignShare] */
function cell(codes, slices = 12, foreignShare = 0.3) {
  return {
    name: 'the floor',
    verdict: {warnings: codes.map(warning)},
    trials: [
      {slices, foreignShare: 0},
      {slices, foreignShare},
    ],
  };
}

/** @type {{ratio: number, ci95: [number, number], paired: boolean}} */
const narrow = {ratio: 2, ci95: [1.95, 2.05], paired: true};

/** Of the cell, of its base, and the verdict on their ratio. @type {[string, ReturnType<typeof cell>, ReturnType<typeof cell>, string, string[]][]} */
const verdicts = [
  ['nothing is wrong with either', cell([]), cell([]), 'valid', []],
  ['both were slowed, in turn', cell(['run-delay']), cell(['run-delay']), 'valid', []],
  ['the host drifted', cell(['drift']), cell(['drift']), 'valid', []],
  ['the interval of a time is wide', cell(['wide']), cell(['wide']), 'valid', []],
  ['one was slowed, in one piece', cell(['run-delay'], null), cell([], null), 'suspect', ['run-delay']],
  ['one of them was not in turn', cell(['run-delay']), cell([], null), 'suspect', ['run-delay']],
  ['others left little', cell(['run-delay'], 12, 0.6), cell(['run-delay']), 'suspect', ['run-delay']],
  ['who was there is not known', cell(['run-delay'], 12, null), cell([]), 'suspect', ['run-delay']],
  ['one was cold', cell(['not-warm']), cell([]), 'suspect', ['not-warm']],
  ['the floor was cold', cell([]), cell(['not-warm']), 'suspect', ['not-warm']],
  ['both were cold, which is said once', cell(['not-warm']), cell(['not-warm']), 'suspect', ['not-warm']],
  ['a warning is of a later version', cell(['of-tomorrow']), cell([]), 'suspect', ['of-tomorrow']],
];

describe('the verdict on a ratio', () => {
  for (const [name, own, base, status, codes] of verdicts)
    it(`is ${status} where ${name}`, () => {
      const found = verdictOnRatio(own, base, narrow);
      assert.deepEqual([found.status, found.warnings.map(({code}) => code)], [status, codes]);
    });

  it('says what is wrong with the other cell', () => {
    const {warnings} = verdictOnRatio(cell([]), cell(['not-warm']), narrow);
    assert.equal(warnings[0].message, 'Of the floor: What is not-warm.');
  });

  it('is wide where its own interval is, by more than a tenth', () => {
    assert.equal(verdictOnRatio(cell([]), cell([]), {...narrow, ci95: [2 / 1.09, 2 * 1.09]}).status, 'valid');
    const {status, warnings} = verdictOnRatio(cell([]), cell([]), {...narrow, ci95: [2 / 1.15, 2 * 1.15]});
    assert.equal(status, 'wide');
    assert.match(warnings[0].message, /reaches 15\.0 % beyond it/);
    assert.equal(verdictOnRatio(cell([]), cell([]), {...narrow, ci95: null}).status, 'wide');
  });

  it('is suspect if it is both', () => {
    const {status, warnings} = verdictOnRatio(cell(['lost']), cell([]), {...narrow, ci95: [1, 3]});
    assert.deepEqual([status, warnings.map(({code}) => code)], ['suspect', ['lost', 'wide']]);
  });

  it('takes nothing for spared that is not paired by round', () => {
    const how = {isPaired: false, areInTurn: false};
    assert.equal(spoilsRatio('drift', how), true);
    assert.equal(spoilsRatio('run-delay', how), true);
    assert.equal(spoilsRatio('wide', how), false);
    const {status} = verdictOnRatio(cell(['run-delay']), cell([]), {...narrow, paired: false});
    assert.equal(status, 'suspect');
  });

  it('takes a disturbance for shared up to the bound', () => {
    const slices = 3;
    assert.equal(sharedDisturbance([{slices, foreignShare: 0.45}]), true);
    assert.equal(sharedDisturbance([{slices, foreignShare: 0.46}]), false);
  });
});
