import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {mean} from 'simple-statistics';
import {mergeWindows, Recorder, SubWindows} from '../../src/measure/recorder.js';
import {runsOf} from '../support/effort.js';

test('every sample of a run longer than the array is in the histogram, in the right unit', () => {
  const recorder = new Recorder();
  const count = 300_000;
  for (let index = 0; index < count; index += 1) recorder.record(1 + index / count);
  assert.equal(recorder.count, count);
  const histogram = recorder.finish();
  assert.equal(histogram.count, count);
  assert.equal(histogram.minimum, 1e6);
  assert.ok(Math.abs(histogram.mean - 1.5e6) < 10, String(histogram.mean));
});

test('the median of a window covers only its own samples', () => {
  const recorder = new Recorder();
  for (const sample of [100, 100, 100, 3, 1, 2]) recorder.record(sample);
  assert.equal(recorder.medianSince(3), 2);
  assert.equal(recorder.medianSince(2), 2.5);
  assert.ok(Number.isNaN(recorder.medianSince(6)));
});

test('samples that are in the histogram, too, still have a median', () => {
  for (const count of [1024, 1025, 2048]) {
    const recorder = new Recorder(1024);
    for (let index = 0; index < count; index += 1) recorder.record(index < count / 2 ? 2 : 4);
    const expected = count === 2048 ? 4 : 3;
    assert.equal(recorder.medianSince(0), expected, `${count}`);
  }
});

test('a reset discards the warm-up', () => {
  const recorder = new Recorder();
  recorder.record(5);
  recorder.reset();
  recorder.record(1);
  assert.equal(recorder.finish().maximum, 1e6);
});

/** @param {readonly number[]} samples */
function windowsOf(samples) {
  const windows = new SubWindows();
  for (const sample of samples) windows.add(sample);
  return windows.means();
}

test('up to 1024 samples, each part is the mean of exactly its samples', () => {
  for (const count of [20, 50, 1000, 1020]) {
    const samples = Array.from({length: count}, (_, index) => (index * 7919) % 101);
    const expected = Array.from({length: 10}, (_, part) =>
      mean(samples.slice((part * count) / 10, ((part + 1) * count) / 10)),
    );
    const found = windowsOf(samples) ?? [];
    for (const [part, value] of expected.entries())
      assert.ok(Math.abs(found[part] - value) < 1e-9, `${count} samples, part ${part}: ${found[part]}`);
  }
});

test('fewer than twenty samples have no parts', () => {
  assert.equal(windowsOf(Array.from({length: 19}, () => 1)), null);
  assert.deepEqual(
    windowsOf(Array.from({length: 20}, () => 1)),
    Array.from({length: 10}, () => 1),
  );
});

test('the parts of a number of samples that ten does not divide weigh the same', () => {
  const samples = Array.from({length: 25}, (_, index) => index);
  const found = windowsOf(samples) ?? [];
  assert.ok(Math.abs(mean(found) - mean(samples)) < 1e-9);
  // Two samples and half of the third: (0 + 1 + 2 / 2) / 2.5.
  assert.ok(Math.abs(found[0] - 0.8) < 1e-9, String(found[0]));
});

test('for any number of samples their mean is that of all, and a ramp is found in every part', () => {
  fc.assert(
    fc.property(fc.integer({min: 20, max: 60_000}), (count) => {
      const found = windowsOf(Array.from({length: count}, (_, index) => index / count)) ?? [];
      assert.equal(found.length, 10);
      assert.ok(Math.abs(mean(found) - (count - 1) / count / 2) < 1e-9);
      for (const [part, value] of found.entries()) {
        const expected = (part + 0.5) / 10 - 1 / (2 * count);
        assert.ok(Math.abs(value - expected) < 0.002 + 1 / count, `${count} samples, part ${part}: ${value}`);
      }
    }),
    {numRuns: 40},
  );
});

test('memory does not grow with the number of samples', () => {
  const windows = new SubWindows();
  const {sums} = windows;
  const count = runsOf(5_000_000);
  for (let index = 0; index < count; index += 1) windows.add(index < count / 2 ? 2 : 1);
  assert.equal(windows.sums, sums);
  assert.deepEqual(
    windows.means()?.map((value) => Math.round(value * 50) / 50),
    [2, 2, 2, 2, 2, 1, 1, 1, 1, 1],
  );
});

test('windows of several clients weigh as many samples as they have; those without windows are left out', () => {
  const ones = Array.from({length: 10}, () => 1);
  const fours = Array.from({length: 10}, (_, part) => (part < 5 ? 4 : 8));
  const merged = mergeWindows([
    {windows: ones, samples: 300},
    {windows: null, samples: 5},
    {windows: fours, samples: 100},
  ]);
  assert.deepEqual(merged, [...Array(5).fill(1.75), ...Array(5).fill(2.75)]);
  assert.equal(mergeWindows([{windows: null, samples: 10}]), null);
  assert.equal(mergeWindows([]), null);
});
