import assert from 'node:assert/strict';
import {test} from 'node:test';
import {refuseImpossible} from '../../src/battle/possible-figures.js';
import {noCounts} from '../../src/measure/counts.js';
import {Histogram} from '../../src/stats/histogram.js';

const histogram = new Histogram();
for (const sample of [1000, 3000]) histogram.add(sample);
const good = {
  counts: {...noCounts, sent: 2, received: 2},
  phases: {enqueue: {messages: 2, ms: 1}},
  wallMs: 1,
};
const result = {encoded: histogram.encode(), windows: Array(10).fill(0.002)};

test('figures that the journal can hold are accepted', () => {
  assert.doesNotThrow(() => refuseImpossible(good, [result, {encoded: null, windows: null}]));
});

/** @type {[string, object, object, RegExp][]} */
const refused = [
  ['more received than sent', {counts: {...good.counts, lost: -1}}, {}, /counts\.lost: it is -1/],
  ['half a message', {counts: {...good.counts, verified: 0.5}}, {}, /counts\.verified: it is 0\.5/],
  ['a phase without a time', {phases: {enqueue: {messages: 2, ms: 0}}}, {}, /phases\.enqueue\.ms: it is 0/],
  ['no time at all', {wallMs: Number.NaN}, {}, /wallMs: it is NaN/],
  ['a window of nothing', {}, {windows: [Number.NaN]}, /windows: one is NaN/],
  ['a mean above the maximum', {}, {encoded: {...histogram.encode(), meanMs: 5}}, /meanMs: 5 is not between/],
];
for (const [what, trial, part, message] of refused)
  test(`${what} is refused before it is stored, by the field`, () => {
    const act = () => refuseImpossible({...good, ...trial}, [{...result, ...part}]);
    assert.throws(act, {code: 'PB_RUN', message});
  });
