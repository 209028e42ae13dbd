import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Recorder} from '../../src/measure/recorder.js';

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

test('a reset discards the warm-up', () => {
  const recorder = new Recorder();
  recorder.record(5);
  recorder.reset();
  recorder.record(1);
  assert.equal(recorder.finish().maximum, 1e6);
});
