import assert from 'node:assert/strict';
import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, beforeEach, test} from 'node:test';
import {HistogramLogReader} from 'hdr-histogram-js';
import {RunError} from '../../../src/errors.js';
import {writeHistogramLog} from '../../../src/exports/hlog/write.js';
import {completedRecord, trialOf} from '../completed-record.js';

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
