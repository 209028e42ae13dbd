import assert from 'node:assert/strict';
import {it} from 'node:test';
import {highest} from '../../src/stats/numbers.js';

it('the highest of no values is 0, and of more values than a call may have arguments is found, too', () => {
  assert.equal(highest([]), 0);
  assert.equal(highest([3, 7, 5]), 7);
  assert.equal(highest(Array.from({length: 500_000}, (_, value) => value)), 499_999);
});
