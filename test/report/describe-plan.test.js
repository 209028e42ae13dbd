import assert from 'node:assert/strict';
import {test} from 'node:test';
import {describeEnd, formatLimit} from '../../src/report/describe-plan.js';

for (const [ms, text] of /** @type {[number, string][]} */ ([
  [500, '0.5 s'],
  [23_000, '23 s'],
  [90_000, '90 s'],
  [150_000, '2 min 30 s'],
  [300_000, '5 min'],
  [690_000, '11 min 30 s'],
  [7_200_000, '120 min'],
]))
  test(`a limit of ${ms} ms is ${text}, and not rounded`, () => {
    assert.equal(formatLimit(ms), text);
  });

test('a battle that ends with its budget says which', () => {
  const state = /** @type {any} */ ({stoppedBy: 'budget', values: {budgetMs: 150_000}, progress: new Map()});
  assert.match(String(describeEnd(state)), /the budget is 2 min 30 s \(--budget\)/);
});
