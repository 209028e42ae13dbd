import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {trialBoundMs} from '../../src/battle/role-pair.js';
import {makeSchedule} from '../../src/workloads/schedule.js';

/** @param {Record<string, any>} more */
const cellWith = ({length, ...more}) =>
  /** @type {any} */ ({
    workload: 'rtt',
    variant: {clients: 1, servers: 1},
    length: {durationMs: 1000, samples: null, warmUp: {kind: 'auto', maximumMs: 1000}, ...length},
    ...more,
  });

test('a bound is a whole number that a timer takes, whatever the settings', () => {
  const durations = fc.double({min: 0.001, max: 1e9, noNaN: true});
  const variants = fc.record({
    clients: fc.integer({min: 1, max: 1000}),
    servers: fc.integer({min: 1, max: 1000}),
    rate: fc.option(fc.double({min: 0.001, max: 1e6, noNaN: true})),
    arrivals: fc.constantFrom('constant', 'poisson'),
  });
  const lengths = fc.record({
    durationMs: durations,
    samples: fc.option(fc.integer({min: 1, max: 1e9})),
    warmUp: fc.oneof(
      fc.record({kind: fc.constant('duration'), durationMs: durations}),
      fc.record({kind: fc.constant('count'), count: fc.nat(1e9)}),
    ),
  });
  fc.assert(
    fc.property(variants, lengths, durations, (variant, length, timeoutMs) => {
      const bound = trialBoundMs(cellWith({variant, length}), {timeoutMs});
      assert.ok(Number.isInteger(bound) && bound > 0 && bound <= 2 ** 31 - 1, String(bound));
      AbortSignal.timeout(bound);
    }),
  );
});

test('the messages of a schedule have the time that it takes, also with Poisson arrivals', () => {
  for (const [samples, rate] of [
    [1, 0.05],
    [10, 0.02],
    [100, 0.1],
    [1000, 0.7],
  ]) {
    const variant = {clients: 1, servers: 1, rate, arrivals: /** @type {const} */ ('poisson')};
    const bound = trialBoundMs(cellWith({variant, length: {samples}}), {timeoutMs: 1000});
    for (let seed = 0; seed < 500; seed += 1) {
      const next = makeSchedule({...variant, seed});
      let endMs = 0;
      for (let count = 0; count < samples; count += 1) endMs = next();
      assert.ok(
        endMs < bound,
        `seed ${seed}: ${samples} at ${rate}/s take ${endMs} ms, the bound is ${bound}`,
      );
    }
  }
});
