import assert from 'node:assert/strict';
import {test} from 'node:test';
import {historyPage, maxBattles} from '../../../src/report/page/history-page.js';
import {completedRecord} from '../../exports/completed-record.js';

/** @import {CellRecord} from '../../../src/results/record-schema.js' */

/**
 * @param {number} day of the battle
 * @param {Record<string, unknown>} [changes]
 * @param {number} [meanMs]
 */
const record = (day, changes = {}, meanMs = 0.5) =>
  completedRecord({
    ...{id: `b${day}-1`, battleId: `b${day}`, startedAt: new Date(Date.UTC(2026, 10, day, 5)).toISOString()},
    ...{transport: 'rabbitmq', comparedBy: 'latency', variant: {}, hosts: {client: 'vm'}},
    rtt: {meanMs, ci95Ms: [0.9 * meanMs, 1.1 * meanMs], p99Ms: 2 * meanMs, ci95: {p99Ms: null}},
    verdict: {status: 'valid', warnings: []},
    ...changes,
  });

/** @param {readonly CellRecord[]} records @param {{id: string, hosts: object}[]} [battles] */
const pageOf = (records, battles = []) =>
  historyPage({journals: [{name: 'a', records, battles}], version: '0.1.0'});

/** What the marks of the first layout of each chart say. @param {string} page */
const pointsOf = (page) =>
  [...page.matchAll(/<div class="in-wide">(.*?)<\/div>/gs)].map(([, svg]) =>
    [...svg.matchAll(/<path class="(mark[^"]*)"[^>]*><title>([^<]*)<\/title>/g)].map(([, look, text]) => ({
      look,
      text,
    })),
  );

const commit = '0123456789abcdef0123456789abcdef01234567';
const suspect = {status: 'suspect', warnings: [{code: 'run-delay', message: '', advice: ''}]};

test('each point names what was measured, when, the figure with its interval, the verdict, the host and the record', () => {
  const [points] = pointsOf(
    pageOf([record(2, {config: {label: commit}}), record(1), record(3, {config: {label: 'build 7'}})]),
  );
  assert.deepEqual(
    points.map(({text}) => text),
    [
      'battle b1, 2026-11-01 05:00 UTC: 0.50 ± 0.05 ms; valid; AMD EPYC, local (vm); record b1-1',
      'commit 0123456789, 2026-11-02 05:00 UTC: 0.50 ± 0.05 ms; valid; AMD EPYC, local (vm); record b2-1',
      'build 7, 2026-11-03 05:00 UTC: 0.50 ± 0.05 ms; valid; AMD EPYC, local (vm); record b3-1',
    ],
  );
});

test('a suspect point is hollow, and says why', () => {
  const page = pageOf([
    record(1),
    record(2, {verdict: suspect}),
    record(3, {verdict: {status: 'wide', warnings: []}}),
  ]);
  const [points] = pointsOf(page);
  assert.deepEqual(
    points.map(({look}) => look),
    ['mark', 'mark hollow', 'mark'],
  );
  assert.match(points[1].text, /; suspect, run-delay; /);
  assert.match(page, /<figcaption>[^<]*A hollow mark is suspect\./);
});

test('at a change of the host the line is interrupted, a rule is drawn, and the page says from which host to which', () => {
  const hosts = {vm: {cores: 2}};
  const page = pageOf(
    [record(1), record(2, {machine: 'Xeon'}), record(3), record(4)],
    [1, 2, 3, 4].map((day) => ({id: `b${day}`, hosts})),
  );
  const [[, wide]] = [...page.matchAll(/<div class="in-wide">(.*?)<\/div>/gs)];
  assert.equal(wide.match(/class="tick" stroke-dasharray="3 3"/g)?.length, 2);
  const lines = [...wide.matchAll(/<path class="line" d="([^"]*)"/g)].map(([, path]) =>
    path.replace(/[\d. ]+/g, ''),
  );
  // Those of the legend come first: they have a length.
  assert.deepEqual(
    lines.filter((path) => !path.includes('h')),
    ['MML', 'M'],
  );
  assert.match(
    page,
    /<li>battle b2, 2026-11-02 05:00 UTC: from AMD EPYC, 2 cores, local to Xeon, 2 cores, local\.<\/li>/,
  );
  assert.match(page, /<li>battle b3, .*: from Xeon, 2 cores, local to AMD EPYC, 2 cores, local\.<\/li>/);
  assert.match(
    page,
    /<figcaption>[^<]*At a dashed rule the host changes: figures on both sides are not comparable\./,
  );
  const still = pageOf([record(1), record(2)]);
  assert.doesNotMatch(still, /stroke-dasharray="3 3"|dashed rule|from AMD EPYC/);
  assert.match(still, /All battles ran on AMD EPYC, local\./);
});

test('a cell that failed has a row and no point, and the newest figure of each cell links to its chart', () => {
  const failed = /** @type {any} */ ({
    ...record(2),
    outcome: 'failed',
    error: {code: 'PB_RUN', message: 'It went wrong.'},
  });
  const page = pageOf([record(1), failed, record(1, {id: 'b1-2', payloadBytes: 102_400})]);
  assert.deepEqual(
    pointsOf(page).map(({length}) => length),
    [1, 1],
  );
  assert.match(
    page,
    /<tr><th class="text" scope="row">battle b2<\/th><td>2026-11-02 05:00 UTC<\/td><td><\/td><td><\/td><td>failed<\/td>/,
  );
  assert.match(
    page,
    /<td class="text"><a href="#cell-1">RabbitMQ mode 1, 1 KB<\/a><\/td><td class="text">battle b2<\/td><td class="text failed">failed<\/td>/,
  );
  assert.match(
    page,
    /<a href="#cell-2">RabbitMQ mode 1, 100 KB<\/a><\/td><td class="text">battle b1<\/td><td class="text valid">valid<\/td><td>0\.50 ± 0\.05 ms<\/td><td>1\.0*<\/td>/,
  );
  assert.match(
    page,
    /<h1>History of 2 battles and 2 cells<\/h1>\n<p>Measured from 2026-11-01 to 2026-11-02\.<\/p>/,
  );
});

test('the sides of a comparison are left out, and so are the oldest of too many battles', () => {
  const sides = record(1, {id: 'b1-2', variant: {side: 'a'}, payloadBytes: 2048});
  assert.doesNotMatch(pageOf([record(1), sides]), /2 KB/);
  const many = Array.from({length: maxBattles + 1}, (_, index) => record(index + 1));
  const page = pageOf(many);
  const [points] = pointsOf(page);
  assert.equal(points.length, maxBattles);
  assert.match(points[0].text, /^battle b2,/);
  assert.match(page, new RegExp(`Of each journal, the newest ${maxBattles} battles are shown\\.`));
});

test('the heading says what changed between the newest two battles on one kind of host', () => {
  const of = (/** @type {number} */ day, /** @type {number} */ meanMs, changes = {}) => {
    const trials = [1, 1.01, 0.99, 1.005, 0.995].map((factor, index) => ({
      ...{round: index + 1, meanMs: factor * meanMs, messagesPerSecond: 1000 / meanMs, used: true},
    }));
    return record(day, {trials, ...changes}, meanMs);
  };
  const page = pageOf([of(1, 9), of(2, 0.5), of(3, 0.9)]);
  assert.match(
    page,
    /<h1>battle b3 after battle b2: 1 cell: 1 slower<\/h1>\n<p>History of 3 battles and 1 cell\. /,
  );
  assert.match(page, /<title>battle b3 after battle b2: 1 cell: 1 slower – perf-battle<\/title>/);
  assert.match(pageOf([of(1, 9)]), /<h1>History of 1 battle and 1 cell<\/h1>/);
  assert.match(pageOf([of(1, 9), of(2, 9, {machine: 'another'})]), /<h1>History of 2 battles/);
});

test('a line of an interval that ends at the frame is said to be longer', () => {
  const rtt = {meanMs: 0.5, ci95Ms: [0.001, 90], p99Ms: 1, ci95: {p99Ms: null}};
  assert.match(pageOf([record(1, {rtt})]), /A line that ends at the frame is longer\./);
  assert.doesNotMatch(pageOf([record(1)]), /ends at the frame/);
});

test('cells of several journals have the name of theirs', () => {
  const journals = ['health', 'orders'].map((name) => ({name, records: [record(1)], battles: []}));
  const page = historyPage({journals, version: '0.1.0'});
  for (const name of ['health', 'orders'])
    assert.match(page, new RegExp(`<h3>${name}, RabbitMQ mode 1, 1 KB</h3>`));
});

test('a rate is drawn with its own unit', () => {
  const throughput = {messagesPerSecond: 1000, ci95MessagesPerSecond: [900, 1100], bytesPerSecond: 1};
  const [[point]] = pointsOf(
    pageOf([record(1, {comparedBy: 'rate', rtt: null, workload: 'stream', throughput})]),
  );
  assert.match(point.text, /: 1000 ± 100 messages\/s; valid;/);
});

test('what a journal contains is text, and the page loads nothing from elsewhere', () => {
  const hostile = '</script></title><script>alert(1)</script><img src=x onerror="alert(1)">&';
  const labels = {facilitator: hostile, qualifier: hostile, settings: [hostile], persistent: hostile};
  const changes = {
    labels,
    machine: hostile,
    environment: hostile,
    hosts: {client: hostile},
    config: {label: hostile},
    workload: hostile,
  };
  const page = historyPage({
    journals: [
      {name: hostile, records: [record(1, changes), record(2)], battles: []},
      {name: 'b', records: [record(1)], battles: []},
    ],
    version: '0.1.0',
  });
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.doesNotMatch(page, /<img/);
  assert.doesNotMatch(page.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\/|@import|url\(/);
});
