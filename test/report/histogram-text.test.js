import assert from 'node:assert/strict';
import {test} from 'node:test';
import {histogramText} from '../../src/report/distribution-text.js';
import {completedRecord, trialOf} from '../exports/completed-record.js';

/** @param {number} count @param {number} nanoseconds */
const constant = (count, nanoseconds) => Array(count).fill(nanoseconds);

test('a cell has a line for each bin: from when, its share, and a bar', () => {
  const record = completedRecord({
    trials: [
      trialOf([...constant(400, 1_000_000), ...constant(100, 1_105_000)]),
      trialOf(constant(500, 1_250_000)),
      trialOf(constant(500, 9_000_000), {used: false}),
    ],
  });
  assert.equal(
    histogramText([record]),
    [
      'RabbitMQ mode 1, 1kb, rtt: 1000 messages',
      `    from 1 ms  40.0 %  ${'█'.repeat(32)}`,
      `  from 1.1 ms  10.0 %  ${'█'.repeat(8)}`,
      `  from 1.2 ms  50.0 %  ${'█'.repeat(40)}`,
      '',
    ].join('\n'),
  );
});

test('one message of many shows, an empty bin has nothing, and no line is longer than 80 characters', () => {
  const text = histogramText([completedRecord({trials: [trialOf([...constant(9999, 60_000), 50_000_000])]})]);
  assert.match(text, /\n +from 47 µs {2}99\.9 % {2}█{40}\n/);
  assert.match(text, /\n +from 68 µs\n/);
  assert.match(text, /\n +from 47 ms {2}0\.01 % {2}▏\n$/);
  assert.ok(text.split('\n').every((line) => line.length <= 80));
});

test('cells without latencies are left out', () => {
  assert.equal(histogramText([completedRecord(), /** @type {any} */ ({outcome: 'failed'})]), '');
});
