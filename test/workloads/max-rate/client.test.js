import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {simulateSearches} from '../../../overhead/max-rate.js';
import {searchMaxRate} from '../../../src/workloads/max-rate/client.js';

const rates = fc.double({min: 1, max: 1e6, noNaN: true});

test('without a disturbance the search ends within 5 % below the highest rate that holds, wherever it starts', async () => {
  await fc.assert(
    fc.asyncProperty(rates, rates, async (first, limit) => {
      const {found} = await searchMaxRate(first, async (rate) => ({holds: rate <= limit}));
      assert.ok(found && found.rate <= limit && found.rate * 1.05 >= limit, `${found?.rate} of ${limit}`);
    }),
  );
});

test('any two disturbed steps in a row change nothing', async () => {
  await fc.assert(
    fc.asyncProperty(rates, rates, fc.nat({max: 30}), async (first, limit, disturbed) => {
      let step = 0;
      const {found} = await searchMaxRate(first, async (rate) => {
        step += 1;
        return {holds: rate <= limit && step !== disturbed && step !== disturbed + 1};
      });
      assert.ok(found && found.rate <= limit && found.rate * 1.1 >= limit, `${found?.rate} of ${limit}`);
    }),
  );
});

test('a long disturbance at the start does not keep the search at a thousandth of the rate', async () => {
  for (let disturbed = 1; disturbed <= 20; disturbed += 1) {
    let step = 0;
    const {found} = await searchMaxRate(10_000, async (rate) => {
      step += 1;
      return {holds: step > disturbed && rate <= 12_000};
    });
    assert.ok(found && found.rate * 1.05 >= 12_000, `${found?.rate} after ${disturbed} disturbed steps`);
  }
});

test('the step of the result is a confirmation run at that rate', async () => {
  const {found} = await searchMaxRate(100, async (rate, {confirms}) => ({
    holds: rate <= 500,
    rate,
    confirms,
  }));
  assert.deepEqual(found?.step, {holds: true, rate: found?.rate, confirms: true});
});

test('a rate that does not hold for the length of a confirmation is not the result', async () => {
  const {found} = await searchMaxRate(100, async (rate, {confirms}) => ({
    holds: rate <= (confirms ? 400 : 500),
  }));
  assert.ok(found && found.rate <= 400 && found.rate * 1.05 ** 2 >= 400, String(found?.rate));
});

for (const [title, firstRate, bound] of /** @type {const} */ ([
  ['nothing holds', 700, 30],
  ['everything holds', 1, 150],
])) {
  test(`the search ends when ${title}`, async () => {
    const holds = title === 'everything holds';
    const {found, steps} = await searchMaxRate(firstRate, async () => ({holds}));
    assert.equal(found !== null, holds);
    assert.ok(steps <= bound, String(steps));
  });
}

test('a search that is late ends with a rate that was confirmed, however far it must step down', async () => {
  for (const confirmed of [4000, 30, 0]) {
    let steps = 0;
    const tryOne = async (/** @type {number} */ rate, /** @type {{confirms: boolean}} */ {confirms}) => {
      steps += 1;
      return {holds: rate <= (confirms ? confirmed : 5000)};
    };
    const {found} = await searchMaxRate(1000, tryOne, () => steps >= 3);
    assert.equal(found !== null, confirmed > 0);
    assert.ok(found === null || found.rate <= confirmed, String(found?.rate));
    assert.ok(steps <= 25, String(steps));
  }
});

test('a search that is late before any rate held steps down to one that does', async () => {
  let steps = 0;
  const tryOne = async (/** @type {number} */ rate) => {
    steps += 1;
    return {holds: rate <= 100};
  };
  const {found} = await searchMaxRate(100_000, tryOne, () => steps >= 2);
  assert.ok(found !== null && found.rate <= 100, String(found?.rate));
});

test('the search ends when steps hold at random', async () => {
  await fc.assert(
    fc.asyncProperty(rates, fc.infiniteStream(fc.boolean()), async (first, outcomes) => {
      const {steps} = await searchMaxRate(first, async () => ({holds: outcomes.next().value}));
      assert.ok(steps <= 150, String(steps));
    }),
  );
});

for (const [disturbance, least] of /** @type {const} */ ([
  [{share: 0, burstSeconds: 1}, 200],
  [{share: 0.05, burstSeconds: 1}, 195],
  [{share: 0.05, burstSeconds: 3}, 190],
])) {
  test(`of 200 simulated searches at least ${least} end within 10 % of the truth: ${JSON.stringify(disturbance)}`, async () => {
    const {near} = await simulateSearches(200, disturbance, 1);
    assert.ok(near >= least, `${near}`);
  });
}
