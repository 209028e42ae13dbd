import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {mean} from 'simple-statistics';
import {makeSchedule, periodMs, rateOfAll} from '../../src/workloads/schedule.js';
import {isQuick} from '../support/effort.js';

/** @param {() => number} schedule @param {number} count */
const take = (schedule, count) => Array.from({length: count}, () => schedule());

test('constant arrivals are as far apart as the rate says, and do not drift', () => {
  const schedule = makeSchedule({rate: 300, arrivals: 'constant', seed: 1});
  const times = take(schedule, 3001);
  assert.equal(times[0], 0);
  assert.ok(Math.abs(times[3000] - 10_000) < 1e-6);
  assert.ok(times.every((time, index) => Math.abs(time - (index * 1000) / 300) < 1e-9));
});

test('several clients together send at the rate, each in its turn', () => {
  const load = {rate: 100, arrivals: /** @type {const} */ ('constant'), seed: 1, clients: 4};
  const times = [0, 1, 2, 3].flatMap((client) => take(makeSchedule({...load, client}), 25));
  const sorted = times.sort((one, other) => one - other);
  assert.ok(sorted.every((time, index) => Math.abs(time - index * 10) < 1e-9));
});

test('Poisson arrivals have the rate for their mean, and distances whose deviation is their mean', () => {
  const times = take(makeSchedule({rate: 1000, arrivals: 'poisson', seed: 7}), 50_000);
  const distances = times.map((time, index) => time - (times[index - 1] ?? 0));
  const average = mean(distances);
  const deviation = Math.sqrt(mean(distances.map((distance) => (distance - average) ** 2)));
  assert.ok(Math.abs(average - 1) < 0.02, String(average));
  assert.ok(Math.abs(deviation - 1) < 0.03, String(deviation));
});

test('the same seed gives the same arrivals, another client others', () => {
  const load = {rate: 50, arrivals: /** @type {const} */ ('poisson'), seed: 7};
  assert.deepEqual(take(makeSchedule(load), 10), take(makeSchedule(load), 10));
  const other = take(makeSchedule({...load, client: 1, clients: 2}), 10);
  assert.notDeepEqual(take(makeSchedule({...load, clients: 2}), 10), other);
});

test('times never go back', () => {
  fc.assert(
    fc.property(
      fc.double({min: 0.01, max: 1e6, noNaN: true}),
      fc.constantFrom('constant', 'poisson'),
      fc.integer({min: 1, max: 8}),
      (rate, arrivals, clients) => {
        const load = {rate, arrivals: /** @type {'constant' | 'poisson'} */ (arrivals), seed: 1, clients};
        const times = take(makeSchedule({...load, client: clients - 1}), 200);
        assert.ok(times.every((time, index) => time >= (times[index - 1] ?? 0)));
      },
    ),
  );
});

/**
 * What each client sends, without the sending.
 * @param {{rate: number, arrivals: 'constant' | 'poisson', clients: number, samples: number | null, durationMs: number | null, seed?: number}} load
 */
function schedulesOf({seed = 1, ...load}) {
  return Array.from({length: load.clients}, (_, client) => {
    const schedule = makeSchedule({...load, seed, client});
    let [messages, lastMs] = [0, 0];
    for (
      let at = schedule();
      messages !== load.samples && at < (load.durationMs ?? Infinity);
      at = schedule()
    ) {
      messages += 1;
      lastMs = at;
    }
    return {messages, ms: periodMs(load, {messages, lastMs})};
  });
}

test('constant arrivals have exactly the rate: of any number of clients, with one message each or many, for any time', () => {
  const length = fc.oneof(
    fc.record({samples: fc.integer({min: 1, max: 50}), durationMs: fc.constant(null)}),
    fc.record({samples: fc.constant(null), durationMs: fc.integer({min: 1, max: 5000})}),
    fc.record({samples: fc.integer({min: 1, max: 50}), durationMs: fc.integer({min: 1, max: 5000})}),
  );
  fc.assert(
    fc.property(
      fc.double({min: 0.1, max: 5000, noNaN: true}),
      fc.integer({min: 1, max: 20}),
      length,
      (rate, clients, {samples, durationMs}) => {
        const parts = schedulesOf({rate, arrivals: 'constant', clients, samples, durationMs});
        assert.ok(Math.abs(rateOfAll(parts) / rate - 1) < 1e-9);
      },
    ),
  );
});

for (const {samples, durationMs, clients} of [
  {samples: 1, durationMs: null, clients: 1},
  {samples: 1, durationMs: null, clients: 4},
  {samples: 3, durationMs: null, clients: 1},
  {samples: 3, durationMs: null, clients: 4},
  {samples: 30, durationMs: null, clients: 16},
]) {
  test(`Poisson arrivals have the rate on the average: ${clients} clients with ${samples} messages each`, {
    skip: isQuick,
  }, () => {
    const times = Array.from({length: 4000}, (_, seed) => {
      const parts = schedulesOf({rate: 5, arrivals: 'poisson', clients, samples, durationMs, seed});
      return 1 / rateOfAll(parts);
    });
    assert.ok(Math.abs(mean(times) * 5 - 1) < 0.06, String(mean(times)));
  });
}

test('Poisson arrivals have the rate on the average for a time too', {skip: isQuick}, () => {
  const rates = Array.from({length: 4000}, (_, seed) =>
    rateOfAll(schedulesOf({rate: 5, arrivals: 'poisson', clients: 4, samples: null, durationMs: 1000, seed})),
  );
  assert.ok(Math.abs(mean(rates) / 5 - 1) < 0.03, String(mean(rates)));
});

test('no message has the rate 0, and not an unknown one', () => {
  assert.equal(rateOfAll([{messages: 0, ms: 0}]), 0);
});
