import assert from 'node:assert/strict';
import {test} from 'node:test';
import {rowsOf} from '../../overhead/carryover.js';
import {outcomeOf} from '../../overhead/report.js';

/** @param {number} ratio @param {number} noise */
function battlesWith(ratio, noise) {
  return Array.from({length: 10}, (_, round) => {
    const ownMs = 1 + (round % 3) / 10;
    const sharedMs = ownMs * ratio * (1 + (round % 2 === 0 ? noise : -noise));
    return {
      shared: new Map([
        ['TCP, 100kb', 2],
        ['TCP,   1kb', sharedMs],
      ]),
      own: new Map([
        ['TCP,   1kb', ownMs],
        ['TCP, 100kb', 2],
      ]),
    };
  });
}

for (const {ratio, noise, outcome} of [
  {ratio: 1.01, noise: 0.01, outcome: 'holds'},
  {ratio: 1.1, noise: 0.01, outcome: 'fails'},
  {ratio: 0.9, noise: 0.01, outcome: 'fails'},
  {ratio: 1.01, noise: 0.2, outcome: 'inconclusive'},
]) {
  test(`a carry-over of ${ratio} with a noise of ${noise} ${outcome}`, () => {
    const [small, large] = rowsOf(battlesWith(ratio, noise));
    assert.deepEqual([small.what, large.what], ['TCP,   1kb', 'TCP, 100kb']);
    assert.ok(Math.abs(small.estimate.value - ratio) < 0.02);
    assert.equal(outcomeOf(small), outcome);
    assert.equal(outcomeOf(large), 'holds');
  });
}

test('a cell without a figure on one side is an error', () => {
  const [battle] = battlesWith(1, 0);
  battle.own.delete('TCP, 100kb');
  assert.throws(() => rowsOf([battle]), /TCP, 100kb/);
});
