import assert from 'node:assert/strict';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, test} from 'node:test';
import {tagOf, writeHistogramLog} from '../../../src/exports/hlog/write.js';
import {randomSource} from '../../../src/payload/random.js';
import {Histogram} from '../../../src/stats/histogram.js';
import {completedRecord, trialOf} from '../../exports/completed-record.js';
import {runPython} from '../support/python.js';

const percentiles = [50, 75, 90, 99, 99.9];

/** hdrhistogram has the reader that others use for such logs. Prints an object a line for each interval of the log that it is given. */
const program = `
import json, sys
from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

log = HistogramLogReader(sys.argv[1], HdrHistogram(1, 3600 * 1000 * 1000 * 1000, 3))
while True:
    interval = log.get_next_interval_histogram()
    if interval is None:
        break
    print(json.dumps({
        'tag': interval.get_tag(),
        'startedAtMs': interval.get_start_time_stamp(),
        'endedAtMs': interval.get_end_time_stamp(),
        'count': interval.get_total_count(),
        'percentiles': [interval.get_value_at_percentile(p) for p in ${JSON.stringify(percentiles)}],
        'max': interval.get_max_value(),
    }))
`;

/** @type {string} */
let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perf-battle-hlog-'));
});
after(() => rm(folder, {recursive: true, force: true}));

/** @param {string} label @param {number} count @returns {number[]} round trips in ns, with a long tail */
function samples(label, count) {
  const random = randomSource(3, label);
  return Array.from({length: count}, () => Math.round(40_000 / (1 - random()) ** 1.2));
}

/** @param {ReturnType<typeof trialOf>} trial */
function expectedOf(trial) {
  const {hdr} = Histogram.decode(trial);
  return {
    count: trial.samples,
    percentiles: percentiles.map((percentile) => hdr.getValueAtPercentile(percentile)),
    max: hdr.maxValue,
  };
}

test('the HdrHistogram reader for Python finds every tag, count and percentile in a log', async () => {
  const first = trialOf(samples('first', 10_000), {startedAt: '2026-01-02T03:04:05.678Z'});
  const second = trialOf(samples('second', 20_000), {startedAt: '2026-01-02T03:05:00.000Z'});
  const between = trialOf(samples('between', 1000), {startedAt: '2026-01-02T03:04:30.250Z', wallMs: 2500});
  const [rabbitmq, http] = [
    completedRecord({
      labels: {
        facilitator: 'RabbitMQ',
        qualifier: 'mode 2',
        settings: ['confirms', 'manual ack'],
        persistent: 'Yes',
      },
      trials: [first, second],
    }),
    completedRecord({
      labels: {facilitator: 'HTTP', qualifier: null, settings: [], persistent: '*N/A*'},
      machine: 'Größe, µ',
      trials: [between],
    }),
  ];
  const path = join(folder, 'battle.hlog');
  const signal = AbortSignal.timeout(60_000);
  assert.equal(await writeHistogramLog(path, [rabbitmq, http], {signal}), 3);

  const {stdout} = await runPython('python', ['-X', 'utf8', '-c', program, path]);
  const intervals = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    intervals.map(({tag, count, percentiles: values, max}) => ({tag, count, percentiles: values, max})),
    [
      {tag: tagOf(rabbitmq), ...expectedOf(first)},
      {tag: tagOf(http), ...expectedOf(between)},
      {tag: tagOf(rabbitmq), ...expectedOf(second)},
    ],
  );
  assert.deepEqual(
    intervals.map(({startedAtMs}) => new Date(Math.round(startedAtMs)).toISOString()),
    [first, between, second].map(({startedAt}) => startedAt),
  );
  assert.equal(Math.round(intervals[1].endedAtMs - intervals[1].startedAtMs), 2500);
});
