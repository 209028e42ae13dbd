import assert from 'node:assert/strict';
import {test} from 'node:test';
import {withKnownLatencies} from '../../src/results/one-way.js';

const bound = 0.1;

/** @param {number} scale of all times */
function distribution(scale) {
  const [minMs, p50Ms, meanMs, p99Ms, maxMs] = [0.1, 0.4, 0.6, 2, 4].map((ms) => ms * scale);
  const between = {p75Ms: p50Ms, p90Ms: p99Ms, p999Ms: null, p9999Ms: null, p99999Ms: null};
  return {minMs, p50Ms, meanMs, p99Ms, maxMs, ...between, stdevMs: 0.01, samples: 1000};
}

/** @param {number} scale */
function figures(scale) {
  const {minMs, meanMs, maxMs} = distribution(scale);
  const trial = {round: 1, minMs, meanMs, maxMs, stdevMs: 0.01, samples: 1000, histogram: 'HIST'};
  return /** @type {any} */ ({
    rtt: {...distribution(scale), ci95Ms: [0.59, 0.61], ci95: {p50Ms: [0.3, 0.5], p99Ms: [1, 3]}},
    latencies: {service: distribution(scale), sendLag: distribution(0.001)},
    trials: [trial],
  });
}

/** @param {number | null} clockBoundMs */
const trialsWith = (clockBoundMs) =>
  /** @type {any} */ ([{oneWay: null}, {oneWay: clockBoundMs === null ? null : {clockBoundMs}}]);

test('each figure by itself is withheld when it is less than five times the bound, in response and service', () => {
  const {rtt, latencies, trials, oneWay} = withKnownLatencies(figures(1), trialsWith(bound));
  for (const known of [rtt, latencies.service]) {
    assert.deepEqual([known?.minMs, known?.p50Ms, known?.p75Ms], [null, null, null]);
    assert.deepEqual([known?.meanMs, known?.p99Ms, known?.maxMs, known?.stdevMs], [0.6, 2, 4, 0.01]);
    assert.equal(known?.samples, 1000);
  }
  assert.deepEqual([rtt?.ci95Ms, rtt?.ci95], [[0.59, 0.61], {p50Ms: null, p99Ms: [1, 3]}]);
  const [{minMs, meanMs, histogram}] = trials;
  assert.deepEqual([minMs, meanMs, histogram], [null, 0.6, null]);
  assert.deepEqual(oneWay, {clockBoundMs: bound, withheld: true});
});

test('interval and standard deviation are withheld with the mean, while a long tail is still known', () => {
  const {rtt} = withKnownLatencies(figures(0.5), trialsWith(bound));
  assert.deepEqual([rtt?.meanMs, rtt?.ci95Ms, rtt?.stdevMs, rtt?.p99Ms], [null, null, null, 1]);
});

test('a distribution of which nothing is known is missing; the send lag of one clock never is', () => {
  const {rtt, latencies, oneWay} = withKnownLatencies(figures(0.1), trialsWith(bound));
  assert.equal(rtt, null);
  assert.deepEqual(Object.keys(latencies), ['sendLag']);
  assert.equal(latencies.sendLag.meanMs, distribution(0.001).meanMs);
  assert.equal(oneWay?.withheld, true);
});

test('figures well above the bound, and those of one host, are shown as they are', () => {
  const many = withKnownLatencies(figures(100), trialsWith(bound));
  assert.deepEqual({...many, oneWay: undefined}, {...figures(100), oneWay: undefined});
  assert.deepEqual(many.oneWay, {clockBoundMs: bound, withheld: false});
  assert.deepEqual(withKnownLatencies(figures(1), trialsWith(null)), {...figures(1), oneWay: null});
});
