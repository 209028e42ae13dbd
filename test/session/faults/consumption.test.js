import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {accountOf, outageOf} from '../../../src/faults/account.js';
import {outcomes} from '../../../src/measure/message-log.js';
import {Consumption} from '../../../src/session/faults/consumption.js';

/** @import {Consumed} from '../../../src/messages.js' */
/** @import {Drained} from '../../../src/session/faults/types.js' */

/** @param {Partial<Consumed>} some @returns {Consumed} */
function eventOf(some) {
  const none = {arrived: [], finished: [], acknowledged: [], corrupted: 0};
  return {event: 'progress', phase: 'consumed', atMs: 0, ...none, ...some};
}

/** @param {number[]} received @returns {Drained} */
function restOf(received) {
  return {
    received: new Set(received),
    acknowledged: new Set(received),
    duplicated: 0,
    reordered: 0,
    corrupted: 0,
  };
}

/** A log of messages that were due every 10 ms, and confirmed at once. @param {number} messages */
function logOf(messages) {
  const sentMs = Float32Array.from({length: messages}, (_, sequence) => sequence * 10);
  return {
    ...{startMs: 1000, rate: 100, settles: true, messages, resent: 0, retried: new Set(), outages: []},
    ...{sentMs, settledMs: sentMs.map((at) => at + 1)},
    outcomes: new Uint8Array(messages).fill(outcomes.taken),
  };
}

test('a message that a consumer held when it was killed is lost if it never comes again, and twice there if it does', () => {
  const [first, second] = [{}, {}];
  const automatic = new Consumption();
  automatic.add(first, eventOf({arrived: [0, 1, 2], finished: [0]}));
  automatic.add(second, eventOf({arrived: [3], finished: [3]}));
  const {received, duplicated} = automatic.with(restOf([]));
  assert.deepEqual([[...received], duplicated], [[0, 3], 0]);

  const manual = new Consumption();
  manual.add(first, eventOf({arrived: [0, 1, 2], finished: [0]}));
  manual.add(first, eventOf({acknowledged: [0]}));
  manual.add(second, eventOf({arrived: [1, 2, 3], finished: [1, 2, 3]}));
  const all = manual.with(restOf([4]));
  assert.deepEqual([...all.received], [0, 1, 2, 3, 4]);
  assert.deepEqual([...(all.acknowledged ?? [])], [0, 4]);
  assert.deepEqual([all.duplicated, all.reordered], [2, 0]);
});

test('what a killed consumer had seen and what is then read from the queue counts as a duplicate', () => {
  const consumption = new Consumption();
  consumption.add({}, eventOf({arrived: [0, 1]}));
  assert.equal(consumption.with(restOf([0, 1, 2])).duplicated, 2);
});

test('without a queue, what arrived at servers is all that was received, and nothing is acknowledged', () => {
  const [first, second] = [{}, {}];
  const arrivals = new Consumption({areParallel: true});
  arrivals.add(first, eventOf({arrived: [0, 3, 2], finished: [0, 3, 2], atMs: 5}));
  arrivals.add(second, eventOf({arrived: [1, 2], finished: [1, 2], corrupted: 1, atMs: 9}));
  const {received, ...others} = arrivals.with();
  assert.deepEqual([...received].toSorted(), [0, 1, 2, 3]);
  // Each server has an order of its own: 1 may arrive after 3.
  assert.deepEqual(others, {acknowledged: null, duplicated: 1, reordered: 1, corrupted: 1});
  assert.equal(arrivals.lastMs, 9);
});

test('each process counts its own messages with wrong bytes', () => {
  const consumption = new Consumption();
  const [first, second] = [{}, {}];
  for (const corrupted of [1, 2]) consumption.add(first, eventOf({corrupted}));
  consumption.add(second, eventOf({corrupted: 3}));
  assert.equal(consumption.with({...restOf([]), corrupted: 4}).corrupted, 2 + 3 + 4);
});

test('the outage is that of the consumer, and not that of the sender, who goes on', () => {
  const log = logOf(300);
  const consumption = new Consumption();
  const finishedMs = (/** @type {number} */ sequence) => {
    const due = 1000 + sequence * 10 + 20;
    return due >= 2000 && due < 2800 ? 2800 : due;
  };
  for (let sequence = 0; sequence < 300; sequence += 1)
    consumption.add({}, eventOf({atMs: finishedMs(sequence), finished: [sequence]}));
  const strike = {fromMs: 2000, untilMs: 2500, endMs: 4200};
  assert.equal(outageOf(consumption.finishedIn(log), strike).ms, 2800 - 1990);
  assert.ok(Number(outageOf(log, strike).ms) <= 10);
});

test('the counts of a load with consumers add up, whatever each of them did', () => {
  const numbers = fc.uniqueArray(fc.integer({min: 0, max: 19}));
  const event = fc.record({arrived: numbers, finished: numbers, acknowledged: numbers});
  fc.assert(
    fc.property(fc.array(event), numbers, (events, rest) => {
      const consumption = new Consumption();
      for (const one of events) consumption.add({}, eventOf({atMs: 1500, ...one}));
      const log = logOf(20);
      const seen = consumption.with(restOf(rest));
      const {sent, received, lost, acknowledged} = accountOf(log, seen);
      assert.equal(sent, received + lost);
      assert.ok(Number(acknowledged) <= received);
      assert.equal(received, new Set([...events.flatMap(({finished}) => finished), ...rest]).size);
    }),
  );
});
