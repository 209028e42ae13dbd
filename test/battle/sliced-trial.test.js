import assert from 'node:assert/strict';
import {test} from 'node:test';
import {shareThatCounts} from '../../src/battle/sliced-trial.js';

test('work that does not count is left out by the requests that were served, or by time where no server tells them', () => {
  const times = {countedMs: 250, discardedMs: 132};
  assert.equal(shareThatCounts({received: 300, served: 400, ...times}), 0.75);
  assert.equal(shareThatCounts({received: 400, served: 390, ...times}), 1);
  assert.equal(shareThatCounts({received: 300, served: 0, ...times}), 250 / 382);
});
