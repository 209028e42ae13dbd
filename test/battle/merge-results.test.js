import assert from 'node:assert/strict';
import {test} from 'node:test';
import {mergeResults, refuseImpossibleFigures} from '../../src/battle/merge-results.js';
import {noCounts} from '../../src/measure/counts.js';
import {Histogram} from '../../src/stats/histogram.js';

/** @import {Marked, Report, Result} from '../../src/messages.js' */

const usage = {wallMs: 10, userMs: 4, systemMs: 1, maxRssBytes: 1000, eventLoopShare: 0.5, host: null};
const rtt = {figure: /** @type {const} */ ('latency')};
const stream = {figure: /** @type {const} */ ('rate')};

/** @param {number[]} ms */
function encode(...ms) {
  const histogram = new Histogram();
  for (const one of ms) histogram.add(one * 1e6);
  return histogram.encode();
}

/** @param {Partial<Result>} fields @returns {Result} */
function result(fields) {
  return {
    ...{event: 'result', payloadBytes: 100, rtt: null, throughput: null, counts: noCounts},
    ...{timed: {messages: 10, ms: 5}, phases: {}, beside: {}, notes: {}, discarded: 50, warm: true, usage},
    ...{mismatch: null, encoded: null, encodedBeside: {}},
    ...fields,
  };
}

/** @param {Partial<Report>} fields @returns {Marked} */
function mark(fields) {
  const report = {
    ...{messages: 11, bytes: 1100, distinct: 11, verified: 11, corrupted: 0, duplicated: 0, reordered: 0},
    ...{lowestMs: null, mismatch: null, firstMs: 0, lastMs: 10, response: null, service: null},
    ...fields,
  };
  return {event: 'progress', phase: 'mark', usage, served: 11, report};
}

test('one client keeps its own time; several share the wall clock', () => {
  const alone = mergeResults({workload: rtt, results: [result({})], marks: [], wallMs: 50});
  assert.deepEqual([alone.messagesPerSecond, alone.summedPerSecond], [2000, 2000]);
  const two = mergeResults({workload: rtt, results: [result({}), result({})], marks: [], wallMs: 50});
  assert.deepEqual([two.messagesPerSecond, two.summedPerSecond], [400, 4000]);
});

test('histograms are merged, and the figure of a workload compared by latency is their mean', () => {
  const results = [result({encoded: encode(1, 2)}), result({encoded: encode(6)})];
  const merged = mergeResults({workload: rtt, results, marks: [], wallMs: 50});
  assert.deepEqual([merged.samples, merged.meanMs, merged.figureMs], [3, 3, 3]);
});

test('distributions, phases and notes are merged by their names, where only some clients have them', () => {
  const results = [
    result({encodedBeside: {hit: encode(1)}, phases: {enqueue: {messages: 5, ms: 2}}, notes: {rows: 8}}),
    result({
      encodedBeside: {hit: encode(3), miss: encode(9)},
      phases: {enqueue: {messages: 6, ms: 3}},
      notes: {rows: 2},
    }),
  ];
  const {beside, phases, notes} = mergeResults({workload: rtt, results, marks: [], wallMs: 50});
  assert.deepEqual([beside.hit.meanMs, beside.hit.samples, beside.miss.meanMs], [2, 2, 9]);
  assert.deepEqual([phases, notes], [{enqueue: {messages: 11, ms: 3}}, {rows: 10}]);
});

test('what the servers counted is what was received, and its rate goes from the first message to the last', () => {
  const results = [result({counts: {...noCounts, sent: 25}, timed: null})];
  const marks = [mark({}), mark({firstMs: 10, lastMs: 20, corrupted: 1, mismatch: 'byte 3 differs'})];
  const merged = mergeResults({workload: stream, results, marks, wallMs: 50});
  const {sent, received, lost, verified, corrupted} = merged.counts;
  assert.deepEqual([sent, received, lost, verified, corrupted], [25, 22, 3, 22, 1]);
  assert.deepEqual([merged.messagesPerSecond, merged.summedPerSecond], [1050, 2000]);
  assert.equal(merged.mismatch, 'byte 3 differs');
});

/** Four clients at 5/s with three messages each: 12 messages in 2.4 s, of which the last is due after 2.2 s. */
const paced = [0, 1, 2, 3].map((client) =>
  result({
    counts: {...noCounts, sent: 3, received: 3},
    timed: {messages: 3, ms: 2400},
    schedule: {messages: 3, ms: 2400, firstMs: 200 * client, lastMs: 1600 + 200 * client},
    notes: {askedPerSecond: 1.25},
  }),
);

test('clients at a rate have that rate, however few messages they send', () => {
  const merged = mergeResults({workload: rtt, results: paced, marks: [], wallMs: 2210});
  assert.deepEqual(
    [merged.messagesPerSecond, merged.summedPerSecond, merged.notes],
    [5, 5, {askedPerSecond: 5}],
  );
  const late = paced.map((one, client) => (client === 3 ? {...one, timed: {messages: 3, ms: 7200}} : one));
  assert.equal(
    mergeResults({workload: rtt, results: late, marks: [], wallMs: 7000}).messagesPerSecond,
    10 / 3,
  );
});

test('messages one way at a rate have that rate, less what was lost and what came late', () => {
  const rateOf = (/** @type {Partial<Report>[]} */ ...reports) =>
    mergeResults({workload: stream, results: paced, marks: reports.map(mark), wallMs: 2300})
      .messagesPerSecond;
  const all = {messages: 12, distinct: 12};
  assert.equal(rateOf({...all, firstMs: 10, lastMs: 2210}), 5);
  assert.equal(rateOf({...all, firstMs: 10, lastMs: 4810}), 2.5);
  assert.equal(rateOf({...all, firstMs: 10, lastMs: 2410}), 5);
  assert.equal(rateOf({messages: 6, distinct: 6, firstMs: 10, lastMs: 2210}), 2.5);
  const eachItsServer = [0, 1, 2, 3].map((server) => ({
    ...{messages: 3, distinct: 3},
    ...{firstMs: 200 * server, lastMs: 1600 + 200 * server},
  }));
  assert.equal(rateOf(...eachItsServer), 5);
});

test('clients that began at different moments have their rates all the same', () => {
  const marks = [mark({messages: 12, distinct: 12, firstMs: 1010, lastMs: 3710})];
  const begins = [1000, 1100, 1200, 1500];
  const merged = mergeResults({workload: stream, results: paced, marks, begins, wallMs: 2800});
  assert.equal(merged.messagesPerSecond, 5);
});

test('servers with a single message each have a rate together', () => {
  const marks = [0, 1, 2, 3].map((server) =>
    mark({messages: 1, distinct: 1, firstMs: 200 * server, lastMs: 200 * server}),
  );
  const merged = mergeResults({workload: stream, results: [result({timed: null})], marks, wallMs: 700});
  assert.deepEqual([merged.messagesPerSecond, merged.summedPerSecond], [5, 5]);
});

test('a single message at a rate has the rate of its schedule', () => {
  const schedule = {messages: 1, ms: 200, firstMs: 0, lastMs: 0};
  const marks = [mark({messages: 1, distinct: 1, firstMs: 7, lastMs: 7})];
  const merged = mergeResults({workload: stream, results: [result({schedule})], marks, wallMs: 20});
  assert.deepEqual([merged.messagesPerSecond, merged.summedPerSecond], [5, 5]);
});

test('a trial without latencies has none, and its figure is the time per message', () => {
  const {meanMs, histogram, samples, figureMs} = mergeResults({
    workload: stream,
    results: [result({})],
    marks: [],
    wallMs: 50,
  });
  assert.deepEqual([meanMs, histogram, samples, figureMs], [null, null, 0, 0.5]);
});

test('what the first wrong reply of any client was is kept', () => {
  const results = [result({}), result({mismatch: 'byte 7 differs'})];
  assert.equal(mergeResults({workload: rtt, results, marks: [], wallMs: 50}).mismatch, 'byte 7 differs');
});

test('CPU times are summed, and the busiest event loop counts', () => {
  const busy = {...usage, userMs: 6, eventLoopShare: 0.9};
  const results = [result({}), result({usage: busy})];
  const {clientUsage, serverUsage} = mergeResults({workload: rtt, results, marks: [], wallMs: 50});
  assert.deepEqual([clientUsage.userMs, clientUsage.systemMs, clientUsage.eventLoopShare], [10, 2, 0.9]);
  assert.equal(serverUsage, null);
});

const histogram = new Histogram();
for (const sample of [1000, 3000]) histogram.add(sample);
const good = {
  counts: {...noCounts, sent: 2, received: 2},
  phases: {enqueue: {messages: 2, ms: 1}},
  wallMs: 1,
};
const measured = {encoded: histogram.encode(), windows: Array(10).fill(0.002)};

test('figures that the journal can hold are accepted', () => {
  assert.doesNotThrow(() => refuseImpossibleFigures(good, [measured, {encoded: null, windows: null}]));
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
    const act = () => refuseImpossibleFigures({...good, ...trial}, [{...measured, ...part}]);
    assert.throws(act, {code: 'PB_RUN', message});
  });
