import assert from 'node:assert/strict';
import {test} from 'node:test';
import {anatomyText, bandsText, histogramText} from '../../src/report/text-charts.js';
import {completedRecord, trialOf} from '../exports/completed-record.js';

/** @import {CellRecord} from '../../src/results/record-schema.js' */

const part = (/** @type {number} */ meanMs) => ({meanMs, ci95Ms: null});

/**
 * @param {string} facilitator
 * @param {readonly number[]} parts in ms
 * @param {number} clockBoundMs
 * @param {object} [more] of the anatomy
 */
function record(facilitator, [request, handler, reply], clockBoundMs = 0, more = {}) {
  return completedRecord({
    labels: {facilitator, qualifier: null, settings: ['anatomy'], persistent: '*N/A*'},
    anatomy: {request: part(request), handler: part(handler), reply: part(reply), clockBoundMs, ...more},
  });
}

test('each cell has a bar, as long as its mean, and its parts', () => {
  const text = anatomyText([record('TCP', [0.04, 0, 0.02]), record('RabbitMQ', [0.3, 0.06, 0.24])]);
  assert.deepEqual(text.split('\n').slice(1), [
    '1 KB:',
    '  TCP (anatomy)       ██░                             0.0400 + 0 + 0.0200',
    '  RabbitMQ (anatomy)  ███████████████▒▒▒░░░░░░░░░░░░  0.300 + 0.0600 + 0.240',
    '',
  ]);
});

test('a long name stands above its bar, and is not cut', () => {
  const name = 'HTTP (node:http, TLS, client node)';
  const text = anatomyText([record('TCP', [0.04, 0, 0.02]), record(name, [0.3, 0.06, 0.24])]);
  assert.deepEqual(text.split('\n').slice(2, 5), [
    '  TCP (anatomy)  ██░                             0.0400 + 0 + 0.0200',
    '  HTTP (node:http, TLS, client node) (anatomy)',
    '                 ███████████████▒▒▒░░░░░░░░░░░░  0.300 + 0.0600 + 0.240',
  ]);
});

test('between hosts it says how far the clocks may be apart, and a part below zero has no length', () => {
  const [, , line] = anatomyText([record('TCP', [-0.01, 0.01, 0.1], 0.05)]).split('\n');
  assert.match(line, /^ {2}TCP \(anatomy\) {2}▒+░+ +-0\.0100 \+ 0\.0100 \+ 0\.100 \(clocks: ± 0\.0500\)$/);
});

test('without --anatomy there is no text', () => {
  assert.equal(anatomyText([completedRecord(), completedRecord({outcome: 'failed'})]), '');
});

/** @param {readonly number[]} parts */
const way = ([before, broker, after]) => ({before: part(before), broker: part(broker), after: part(after)});

test('what a broker takes stands in the bar and below it', () => {
  const hops = {request: way([0.06, 0.2, 0.04]), reply: way([0.04, 0.1, 0.06])};
  const text = anatomyText([record('RabbitMQ', [0.3, 0.1, 0.2], 0, {hops})]);
  assert.deepEqual(text.split('\n'), [
    "What the mean consists of, in ms: █ to the server's handler, ▒ in it, ░ back, ╳ in the broker",
    '1 KB:',
    '  RabbitMQ (anatomy)  ███╳╳╳╳╳╳╳╳╳╳██▒▒▒▒▒░░╳╳╳╳╳░░░  0.300 + 0.100 + 0.200',
    '                                                      in the broker: 0.200 + 0.100',
    '',
  ]);
});

test('it says once why it is not known what the broker takes', () => {
  const noHops = 'tcpdump is not installed';
  const cells = ['one', 'two'].map((name) => record(name, [0.3, 0.1, 0.2], 0, {noHops}));
  const text = anatomyText(cells);
  assert.equal(text.split('What the broker takes is not shown: tcpdump is not installed.').length, 2);
});

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
