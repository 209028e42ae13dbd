import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {search} from '../../../src/workloads/max-rate/client.js';

test('the search ends within 5 % of the highest rate that holds, wherever it starts, down to one per second', async () => {
  const rates = fc.double({min: 1, max: 1e6, noNaN: true});
  await fc.assert(
    fc.asyncProperty(rates, rates, async (begin, limit) => {
      const {best} = await search(begin, async (rate) => ({rate, holds: rate <= limit}));
      assert.ok(best && best.rate <= limit && best.rate * 1.05 >= limit, `${best?.rate} of ${limit}`);
    }),
  );
});

test('nothing holds only when one per second was tried', async () => {
  /** @type {number[]} */
  const tried = [];
  const attempt = async (/** @type {number} */ rate) => {
    tried.push(rate);
    return {rate, holds: false};
  };
  const {best} = await search(700, attempt);
  assert.equal(best, null);
  assert.equal(tried.at(-1), 1);
  assert.equal(new Set(tried).size, tried.length, 'no rate is tried twice');
});
