import assert from 'node:assert/strict';
import {test} from 'node:test';
import {answersOf} from '../../../src/report/page/battle-page.js';
import {completedRecord} from '../../exports/completed-record.js';

/** @import {CellRecord} from '../../../src/results/record-schema.js' */

const valid = {status: 'valid', warnings: []};
const suspect = {status: 'suspect', warnings: []};

/**
 * A cell whose interval is narrow. Its ratios are those of its mean.
 * @param {string} facilitator
 * @param {number} meanMs
 * @param {Record<string, any>} [fields] fastestMs: of the cell that it is compared with
 */
function cell(facilitator, meanMs, {fastestMs = 0.2, ratioVerdict = null, ...fields} = {}) {
  const around = (/** @type {number} */ value) => [0.99 * value, 1.01 * value];
  const ratioTo = (/** @type {number} */ otherMs) => ({
    ...{ratio: meanMs / otherMs, ratioCi95: around(meanMs / otherMs), verdict: ratioVerdict},
  });
  const isFloor = facilitator === 'Plain';
  return completedRecord({
    variant: {},
    ...{id: `id-${meanMs}`, transport: isFloor ? 'plain' : facilitator, verdict: valid, openLoop: null},
    ...{labels: {facilitator, qualifier: null, settings: [], persistent: ''}, comparedBy: 'latency'},
    ...{rtt: {meanMs, ci95Ms: around(meanMs)}, floor: {meanMs: 0.1, ...ratioTo(0.1)}},
    vsFastest: isFloor ? null : {id: `id-${fastestMs}`, ...ratioTo(fastestMs)},
    throughput: {messagesPerSecond: 1000 / meanMs, ci95MessagesPerSecond: around(1000 / meanMs)},
    ...fields,
  });
}

const answerOf = (/** @type {CellRecord[]} */ ...records) => answersOf(records, 'plain')[0].answer;
const floor = cell('Plain', 0.1);

test('the answer names the fastest, its figure, and how often the floor fits into it', () => {
  assert.equal(
    answerOf(floor, cell('A', 0.2), cell('B', 0.5)),
    'A is fastest: 0.200 ms mean round trip at 1 KB, 2.00 times raw Plain',
  );
});

test('it names the payload size first where another one has another answer', () => {
  const large = {payloadBytes: 102_400, fastestMs: 0.3};
  assert.equal(
    answerOf(cell('B', 0.3, large), cell('A', 0.6, large), cell('A', 0.2), cell('B', 0.5)),
    'A is fastest at 1 KB: 0.200 ms mean round trip',
  );
});

test('cells without a shown difference are fastest together, and a single cell is no winner', () => {
  assert.match(
    answerOf(floor, cell('A', 0.2), cell('B', 0.201), cell('C', 0.5)),
    /^A and B are fastest: .*, no difference between them shown$/,
  );
  const five = ['A', 'B', 'C', 'D', 'E'].map((name, index) => cell(name, 0.2 + index / 10_000));
  assert.match(answerOf(...five), /^A, B, C and 2 more are fastest: /);
  assert.equal(answerOf(floor, cell('A', 0.2)), 'A: 0.200 ms mean round trip at 1 KB, 2.00 times raw Plain');
});

test('a suspect figure is not quoted, and it ranks no cell', () => {
  const all = [cell('A', 0.2, {verdict: suspect}), cell('B', 0.5, {verdict: suspect})];
  assert.equal(answerOf(...all), 'No figure can be quoted: all 2 cells are suspect');
  assert.equal(answerOf(all[0]), 'No figure can be quoted: the only cell is suspect');
  assert.equal(answerOf(all[0], cell('B', 0.5)), 'B: 0.500 ms mean round trip at 1 KB');
});

test('where only the ratios hold, the answer consists of them', () => {
  const ratioOnly = {verdict: suspect, ratioVerdict: valid};
  assert.equal(
    answerOf(floor, cell('A', 0.2, ratioOnly), cell('B', 0.5, ratioOnly)),
    'A is fastest: 2.00 times raw Plain at 1 KB, but the figure itself is suspect',
  );
});

test('a cell is compared with the floor of its own settings', () => {
  const otherFloor = cell('Plain', 0.05, {
    labels: {facilitator: 'Plain', qualifier: null, settings: ['window 9'], persistent: ''},
    floor: {meanMs: 0.05, ratio: 1, ratioCi95: [1, 1]},
  });
  assert.match(answerOf(otherFloor, floor, cell('A', 0.2)), /2\.00 times raw Plain$/);
  assert.doesNotMatch(answerOf(otherFloor, cell('A', 0.2)), /Plain/);
});

test('a workload with an answer comes before one without', () => {
  const answers = answersOf(
    [cell('A', 0.2, {workload: 'cached', verdict: suspect}), cell('A', 0.2)],
    'plain',
  );
  assert.deepEqual(answers, [
    {table: 'rtt', answer: 'A: 0.200 ms mean round trip at 1 KB'},
    {table: 'cached', answer: 'No figure can be quoted: the only cell is suspect'},
  ]);
  const none = [cell('A', 0.2, {workload: 'cached', verdict: suspect}), cell('A', 0.2, {verdict: suspect})];
  assert.deepEqual(answersOf(none, 'plain'), [
    {table: '', answer: 'No figure can be quoted: all 2 cells are suspect'},
  ]);
});

test('records without a comparison name no winner', () => {
  const old = {vsFastest: null, floor: null};
  assert.equal(answerOf(cell('A', 0.2, old), cell('B', 0.5, old)), 'A: 0.200 ms mean round trip at 1 KB');
});

test('each workload has an answer with its own figure', () => {
  const rate = {workload: 'pipeline', comparedBy: 'rate'};
  const phases = {
    enqueue: {messagesPerSecond: 50, ci95MessagesPerSecond: null},
    dequeue: {messagesPerSecond: 70, ci95MessagesPerSecond: null},
  };
  const openLoop = {offeredPerSecond: 100, achievedPerSecond: 100, keepsUp: true};
  const answers = answersOf(
    [
      ...[cell('Plain', 0.1, rate), cell('A', 0.2, rate), cell('B', 0.5, rate)],
      cell('A', 0.2, {workload: 'queue', comparedBy: 'rate', phases}),
      cell('A', 0.2, {openLoop}),
      cell('A', 0.2, {workload: 'cached'}),
    ],
    'plain',
  );
  assert.deepEqual(answers, [
    {
      table: 'pipeline',
      answer: 'A is fastest: 5000 msgs/s at 1 KB, 2.00 times the time per message of raw Plain',
    },
    {table: 'queue', answer: 'A: enqueue 50.0/s, dequeue 70.0/s at 1 KB'},
    {table: 'rtt-open-loop', answer: 'Offered rates: kept up with the rate at 1 KB'},
    {table: 'cached', answer: 'A: 0.200 ms mean time at 1 KB'},
  ]);
});

test('a battle of which nothing completed says so', () => {
  const failed = /** @type {any} */ ({...floor, outcome: 'failed'});
  assert.equal(answerOf(failed, failed), 'Nothing was measured: none of 2 cells completed');
});
