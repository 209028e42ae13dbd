import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import fc from 'fast-check';
import {Histogram} from '../../src/stats/histogram.js';
import {summarize} from '../../src/stats/summary.js';
import {summarizeTrials} from '../../src/stats/trial-summary.js';

/** @param {readonly number[]} milliseconds */
function trialOf(milliseconds) {
  const histogram = new Histogram();
  for (const value of milliseconds) histogram.add(value * 1e6);
  return histogram.encode();
}

/** @param {number} count @param {number} value @returns {number[]} */
const repeated = (count, value) => new Array(count).fill(value);

/** @param {number | null} actual @param {number} expected */
function assertNear(actual, expected) {
  assert.ok(actual !== null && Math.abs(actual / expected - 1) < 0.001, `${actual}, not ${expected}`);
}

describe('the figures over trials', () => {
  it('weigh each trial alike: a fast trial with many samples does not hide a slow one', () => {
    const summary = summarizeTrials([trialOf(repeated(9000, 1)), trialOf(repeated(1000, 9))]);
    assertNear(summary.meanMs, 5);
    assertNear(summary.p75Ms, 9);
    assertNear(summary.p50Ms, 1);
    assert.equal(summary.samples, 10_000);
  });

  it('of one trial are those of its histogram', () => {
    const samples = fc.array(fc.double({min: 0.001, max: 1000, noNaN: true}), {minLength: 1, maxLength: 300});
    fc.assert(
      fc.property(samples, (some) => {
        const encoded = trialOf(some);
        const {ci95: _ci95, ci95Ms: _ci95Ms, ...summary} = summarizeTrials([encoded]);
        assert.deepEqual(summary, summarize(Histogram.decode(encoded)));
      }),
    );
  });

  it('have no percentile with fewer than ten samples above it in all trials together', () => {
    const {p90Ms, p99Ms} = summarizeTrials([trialOf(repeated(60, 1)), trialOf(repeated(60, 1))]);
    assert.notEqual(p90Ms, null);
    assert.equal(p99Ms, null);
  });

  it("have an interval of each percentile, from the trials' own percentiles", () => {
    const trials = [1, 1.1, 0.9, 1.05, 0.95].map((level) =>
      trialOf([...repeated(500, level), ...repeated(500, 3 * level)]),
    );
    const {p50Ms, p90Ms, p999Ms, ci95} = summarizeTrials(trials);
    assertNear(p50Ms, 1.1);
    assert.ok(p90Ms !== null && ci95.p90Ms !== null && ci95.p90Ms[0] < p90Ms && ci95.p90Ms[1] > p90Ms);
    // The levels vary by 7.9 %, so the interval of five is ± 10 %.
    assert.ok(Math.abs(ci95.p90Ms[1] / p90Ms - 1.1) < 0.01, String(ci95.p90Ms));
    assert.equal(p999Ms, null);
    assert.equal(ci95.p999Ms, null);
  });

  it('have no interval of a percentile that a trial is too short for', () => {
    const {p99Ms, ci95} = summarizeTrials([trialOf(repeated(5000, 1)), trialOf(repeated(100, 1))]);
    assert.notEqual(p99Ms, null);
    assert.equal(ci95.p99Ms, null);
    assert.deepEqual(ci95.p50Ms?.map(Math.round), [1, 1]);
  });
});
