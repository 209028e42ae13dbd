import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {SequenceTracker} from '../../src/payload/sequence-tracker.js';

/** @param {readonly number[]} sequences */
function track(sequences) {
  const tracker = new SequenceTracker();
  for (const sequence of sequences) tracker.add(sequence);
  const {distinct, duplicated, reordered} = tracker;
  return {distinct, duplicated, reordered};
}

const cases = /** @type {const} */ ([
  ['all in order', [0, 1, 2, 3], {distinct: 4, duplicated: 0, reordered: 0}],
  ['one missing', [0, 1, 3, 4], {distinct: 4, duplicated: 0, reordered: 0}],
  ['one twice in a row', [0, 1, 1, 2], {distinct: 3, duplicated: 1, reordered: 0}],
  ['one three times', [0, 1, 2, 0, 0], {distinct: 3, duplicated: 2, reordered: 0}],
  ['the first two swapped', [1, 0, 2], {distinct: 3, duplicated: 0, reordered: 1}],
  ['one late by three', [0, 2, 3, 1, 4], {distinct: 4 + 1, duplicated: 0, reordered: 1}],
  ['one twice beyond a gap', [0, 2, 2, 1, 1], {distinct: 3, duplicated: 2, reordered: 1}],
  ['none', [], {distinct: 0, duplicated: 0, reordered: 0}],
]);

for (const [name, sequences, expected] of cases) {
  test(`${name}: distinct, duplicated and reordered numbers are counted exactly`, () => {
    assert.deepEqual(track(sequences), expected);
  });
}

test('any sequence gives the same counts as a set of all numbers and their maximum', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({min: 0, max: 300_000}), {maxLength: 400}), (sequences) => {
      const seen = new Set();
      let highest = -1;
      let reordered = 0;
      for (const sequence of sequences) {
        if (!seen.has(sequence) && sequence < highest) reordered += 1;
        seen.add(sequence);
        highest = Math.max(highest, sequence);
      }
      const duplicated = sequences.length - seen.size;
      assert.deepEqual(track(sequences), {distinct: seen.size, duplicated, reordered});
    }),
  );
});

test('a million numbers of which every hundredth is missing take little memory', () => {
  const tracker = new SequenceTracker();
  for (let sequence = 0; sequence < 1_000_000; sequence += 1) if (sequence % 100 !== 7) tracker.add(sequence);
  assert.equal(tracker.distinct, 990_000);
  assert.ok(tracker.chunks.size <= 16, String(tracker.chunks.size));
});

test('only the next number is stored while none is missing', () => {
  const tracker = new SequenceTracker();
  for (let sequence = 0; sequence < 200_000; sequence += 1) tracker.add(sequence);
  assert.deepEqual([tracker.frontier, tracker.chunks.size], [200_000, 0]);
});
