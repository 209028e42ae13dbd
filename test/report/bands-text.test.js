import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bandsText} from '../../src/report/distribution-text.js';
import {completedRecord, trialOf} from '../exports/completed-record.js';

/** @import {CellRecord} from '../../src/results/record-schema.js' */

/** @param {number} count @param {number} nanoseconds */
const constant = (count, nanoseconds) => Array(count).fill(nanoseconds);

test('a cell has its name, its figures, and a line for each band; an unknown figure is n/a', () => {
  const record = completedRecord({
    labels: {facilitator: 'RabbitMQ', qualifier: 'mode 2', settings: ['confirms'], persistent: 'Yes'},
    trials: [trialOf([...constant(900, 1000), ...constant(100, 2000)])],
  });
  assert.equal(
    bandsText([record]),
    [
      'RabbitMQ mode 2 (confirms), 1kb, rtt',
      '  messages          1000',
      '  avg               1.100 µs',
      '  min               1.000 µs',
      '  max               2.000 µs',
      '  fastest 75 %      avg 1.000 µs, max 1.000 µs',
      '  fastest 90 %      avg 1.000 µs, max 1.000 µs',
      '  fastest 99 %      avg 1.091 µs, max 2.000 µs',
      '  fastest 99.9 %    avg n/a, max n/a',
      '  fastest 99.99 %   avg n/a, max n/a',
      '  fastest 99.999 %  avg n/a, max n/a',
      '',
    ].join('\n'),
  );
});

test('trials that count are merged, and those that do not are left out', () => {
  const text = bandsText([
    completedRecord({
      trials: [
        trialOf(constant(30, 1000)),
        trialOf(constant(10, 5000)),
        trialOf(constant(500, 9_000_000), {used: false}),
      ],
    }),
  ]);
  assert.match(text, /messages +40\n {2}avg +2\.000 µs\n {2}min +1\.000 µs\n {2}max +5\.000 µs\n/);
});

test('cells stand one below the other in the order given, with an empty line between them', () => {
  const text = bandsText(
    [1, 1024, 1000].map((payloadBytes) =>
      completedRecord({payloadBytes, workload: 'burst', trials: [trialOf([1000])]}),
    ),
  );
  assert.deepEqual(
    text.split('\n\n').map((block) => block.split('\n')[0]),
    ['RabbitMQ mode 1, 1b, burst', 'RabbitMQ mode 1, 1kb, burst', 'RabbitMQ mode 1, 1000b, burst'],
  );
});

test('cells without latencies are left out', () => {
  const withoutLatencies = trialOf([1000], {histogram: null});
  for (const [what, records] of /** @type {[string, CellRecord[]][]} */ ([
    ['no record', []],
    ['a failed cell', [{...completedRecord(), outcome: 'failed', error: {code: 'PB_RUN', message: 'no'}}]],
    ['an aborted cell', [{...completedRecord(), outcome: 'aborted'}]],
    ['trials without a histogram', [completedRecord({trials: [withoutLatencies, withoutLatencies]})]],
    ['no trial that counts', [completedRecord({trials: [trialOf([1000], {used: false})]})]],
  ])) {
    assert.equal(bandsText(records), '', what);
  }
});
