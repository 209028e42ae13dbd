import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {countAxis, linearAxis, logAxis, markedLogAxis, orderAxis} from '../../../src/report/charts/axis.js';

/** @import {Axis} from '../../../src/report/charts/chart.js' */

const how = {label: 'ms', format: String};
const positive = fc.double({min: 1e-6, max: 1e9, noNaN: true, noDefaultInfinity: true});

/** @param {Axis} axis */
const labels = ({ticks}) => ticks.map(({label}) => label);

test('a logarithmic axis goes from a mark below to a mark above', () => {
  assert.deepEqual(labels(logAxis([0.07, 0.6], how)), ['0.05', '0.1', '0.2', '0.5', '1']);
  assert.deepEqual(labels(logAxis([0.5], how)), ['0.5', '1']);
  assert.deepEqual(labels(logAxis([1, 30_000], how)), ['1', '10', '100', '1000', '10000']);
});

test('every value lies on its axis, and a larger one further along', () => {
  fc.assert(
    fc.property(fc.array(positive, {minLength: 1, maxLength: 20}), (values) => {
      for (const axis of [logAxis(values, how), linearAxis(values, how)]) {
        const sorted = values.toSorted((one, other) => one - other).map(axis.toShare);
        assert.ok(sorted.every((share) => share >= -1e-9 && share <= 1 + 1e-9));
        assert.ok(sorted.every((share, index) => index === 0 || share >= sorted[index - 1]));
        assert.ok(axis.ticks.length >= 2 && axis.ticks.length <= 20);
      }
    }),
  );
});

test('a linear axis begins at 0 and has round marks', () => {
  assert.deepEqual(labels(linearAxis([3, 47], how)), ['0', '10', '20', '30', '40', '50']);
  assert.deepEqual(labels(linearAxis([0], how)).slice(0, 1), ['0']);
});

test('a single payload size stands in the middle, several at their distances', () => {
  const axis = (/** @type {number[]} */ ...sizes) =>
    markedLogAxis(
      sizes.map((value) => ({value, label: String(value)})),
      'size',
    );
  assert.equal(axis(1024).toShare(1024), 0.5);
  assert.deepEqual([1, 10, 100].map(axis(1, 10, 100).toShare), [0, 0.5, 1]);
});

test('rounds are whole numbers, and not all of many are labelled', () => {
  assert.deepEqual(labels(countAxis(1, 5, 'round')), ['1', '2', '3', '4', '5']);
  assert.ok(countAxis(1, 300, 'round').ticks.length < 40);
  assert.ok(countAxis(1, 300, 'round').ticks.every(({value}) => Number.isInteger(value)));
});

test('an axis of things in their order has a tick for the last one, and few others', () => {
  for (const count of [1, 2, 8, 9, 100]) {
    const names = Array.from({length: count}, (_, index) => `n${index + 1}`);
    const {ticks, toShare} = orderAxis(names, 'battle');
    assert.ok(ticks.length <= 8 && ticks.length >= Math.min(count, 5), `${count}: ${ticks.length}`);
    assert.deepEqual(ticks.at(-1), {value: count, label: `n${count}`});
    assert.equal(toShare(count), count === 1 ? 0.5 : 1);
    for (const {value, label} of ticks) assert.equal(label, names[value - 1]);
  }
});
