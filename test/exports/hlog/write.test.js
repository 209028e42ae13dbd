import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, test} from 'node:test';
import fc from 'fast-check';
import {HistogramLogReader, listTags} from 'hdr-histogram-js';
import {RunError} from '../../../src/errors.js';
import {
  formatHistogramLog,
  histogramLogEntries,
  tagOf,
  writeHistogramLog,
} from '../../../src/exports/hlog/write.js';
import {anyCharacter} from '../../support/any-character.js';
import {completedRecord, trialOf} from '../completed-record.js';

/** @import {CellRecord} from '../../../src/results/record-schema.js' */

/** @type {string[]} */
const made = [];
/** @type {string} */
let folder;
/** @type {string} */
let path;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-hlog-'));
  path = join(folder, 'battle.hlog');
  made.push(folder);
});
after(() => Promise.all(made.map((each) => rm(each, {recursive: true}))));

const {signal} = new AbortController();

test('a log replaces what the file held, and starts with its first interval', async () => {
  await writeFile(path, 'an older log\n');
  const records = [
    completedRecord({trials: [trialOf([1000], {startedAt: '2026-01-02T03:05:00.000Z'})]}),
    completedRecord({workload: 'burst', trials: [trialOf([1000, 2000])]}),
  ];
  assert.equal(await writeHistogramLog(path, records, {signal}), 2);
  const log = await readFile(path, 'utf8');
  assert.match(log, /^#\[Histogram log format version 1\.3\]\n#\[StartTime: 1767323045\.678 /);
  const reader = new HistogramLogReader(log, 32);
  assert.deepEqual(
    [reader.nextIntervalHistogram()?.totalCount, reader.nextIntervalHistogram()?.totalCount],
    [2, 1],
  );
  assert.deepEqual(await readdir(folder), ['battle.hlog']);
});

test('without an interval to write the file stays as it is', async () => {
  await writeFile(path, 'an older log\n');
  const withoutLatencies = completedRecord({trials: [trialOf([1], {histogram: null})]});
  assert.equal(await writeHistogramLog(path, [withoutLatencies], {signal}), 0);
  assert.equal(await readFile(path, 'utf8'), 'an older log\n');
});

test('a file that cannot be written is an error that names it', async () => {
  const records = [completedRecord({trials: [trialOf([1000])]})];
  const missing = join(folder, 'missing', 'battle.hlog');
  await assert.rejects(writeHistogramLog(missing, records, {signal}), (error) => {
    assert.ok(error instanceof RunError && error.message.includes(missing), String(error));
    return true;
  });
});

const startedAt = '2026-01-02T03:04:05.678Z';
const startedAtSeconds = '1767323045.678';

/** @param {string} tag @param {string} at @param {readonly number[]} nanoseconds */
function entry(tag, at, nanoseconds) {
  return {tag, startedAt: at, lengthMs: 1500.4, histogram: trialOf(nanoseconds).histogram};
}

test('a log has the version, the start and the legend, then a line for each interval', () => {
  const histogram = trialOf([1000, 2_500_000]).histogram;
  const log = formatHistogramLog({startedAt, entries: [{tag: 'a', startedAt, lengthMs: 1500.4, histogram}]});
  assert.deepEqual(log.split('\n'), [
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${startedAtSeconds} (seconds since epoch), ${startedAt}]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    `Tag=a,${startedAtSeconds},1.500,2.501,${histogram}`,
    '',
  ]);
});

test('intervals stand in the order of their starts, for readers stop at the first beyond their range', () => {
  const log = formatHistogramLog({
    startedAt,
    entries: [
      entry('late', '2026-01-02T03:05:00.000Z', [1000]),
      entry('early', '2026-01-02T03:04:05.678Z', [1000]),
      entry('between', '2026-01-02T03:04:06.000Z', [1000]),
    ],
  });
  assert.deepEqual(listTags(log), ['early', 'between', 'late']);
});

test('a log without intervals is its header alone', () => {
  assert.equal(formatHistogramLog({startedAt, entries: []}).split('\n').length, 4);
});

test('what was recorded is read back with tag, count, start and end', () => {
  const nanoseconds = fc.array(fc.integer({min: 1, max: 60_000_000_000}), {minLength: 1, maxLength: 50});
  fc.assert(
    fc.property(fc.array(nanoseconds, {maxLength: 4}), (recorded) => {
      const log = formatHistogramLog({
        startedAt,
        entries: recorded.map((values, index) => entry(`cell-${index}`, startedAt, values)),
      });
      const reader = new HistogramLogReader(log, 32);
      for (const [index, values] of recorded.entries()) {
        const histogram = reader.nextIntervalHistogram();
        assert.ok(histogram);
        assert.equal(histogram.tag, `cell-${index}`);
        assert.equal(histogram.totalCount, values.length);
        assert.equal(Math.round(histogram.startTimeStampMsec), Date.parse(startedAt));
        assert.equal(Math.round(histogram.endTimeStampMsec), Date.parse(startedAt) + 1500);
        const longest = Math.max(...values);
        assert.ok(Math.abs(histogram.maxValue - longest) <= longest / 1000);
      }
      assert.equal(reader.nextIntervalHistogram(), null);
    }),
    {numRuns: 50},
  );
});

test('a tag says which cell, and has no comma, space or line break', () => {
  const labels = {
    facilitator: 'RabbitMQ',
    qualifier: 'mode 2',
    settings: ['confirms', 'manual ack'],
    persistent: 'Yes',
  };
  for (const [fields, tag] of /** @type {[Record<string, unknown>, string][]} */ ([
    [{}, 'RabbitMQ_mode_1/1kb/rtt/local/AMD_EPYC'],
    [
      {labels, payloadBytes: 100, workload: 'burst'},
      'RabbitMQ_mode_2_(confirms_manual_ack)/100b/burst/local/AMD_EPYC',
    ],
    [
      {environment: ' two\r\nlines, and\u2028more\u0085 ', machine: 'µ'},
      'RabbitMQ_mode_1/1kb/rtt/two_lines_and_more/µ',
    ],
  ]))
    assert.equal(tagOf(completedRecord(fields)), tag);

  fc.assert(
    fc.property(fc.string({unit: anyCharacter}), fc.string({unit: anyCharacter}), (environment, machine) => {
      assert.match(tagOf(completedRecord({environment, machine})), /^[^\s,\p{Cc}]+$/u);
    }),
  );
});

test('every trial that counts becomes an interval under the tag of its cell', () => {
  const [first, second] = [trialOf([1000, 3000]), trialOf([2000], {startedAt: '2026-01-02T03:05:00.000Z'})];
  const records = [
    completedRecord({trials: [first, trialOf([9000], {used: false}), second]}),
    completedRecord({workload: 'burst', trials: [trialOf([5000], {wallMs: 250})]}),
  ];
  assert.deepEqual(histogramLogEntries(records), [
    {tag: tagOf(records[0]), startedAt, lengthMs: 100, histogram: first.histogram},
    {
      tag: tagOf(records[0]),
      startedAt: '2026-01-02T03:05:00.000Z',
      lengthMs: 100,
      histogram: second.histogram,
    },
    {tag: tagOf(records[1]), startedAt, lengthMs: 250, histogram: trialOf([5000]).histogram},
  ]);
});

test('what has no histogram becomes no interval', () => {
  for (const [what, records] of /** @type {[string, CellRecord[]][]} */ ([
    ['no record', []],
    ['a failed cell', [{...completedRecord(), outcome: 'failed', error: {code: 'PB_RUN', message: 'no'}}]],
    ['an aborted cell', [{...completedRecord(), outcome: 'aborted'}]],
    ['a trial without a histogram', [completedRecord({trials: [trialOf([1], {histogram: null})]})]],
  ]))
    assert.deepEqual(histogramLogEntries(records), [], what);
});
