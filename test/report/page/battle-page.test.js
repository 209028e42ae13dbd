import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gunzipSync} from 'node:zlib';
import {randomSource} from '../../../src/payload/random.js';
import {battlePage, chartsOf} from '../../../src/report/page/battle-page.js';
import {completedRecord, trialOf} from '../../exports/completed-record.js';
import {isQuick} from '../../support/effort.js';
import {assertWellFormed} from '../charts/well-formed.js';

/** @import {CellRecord, CompletedRecord} from '../../../src/results/record-schema.js' */

/** @param {number} round @param {(index: number) => number} nanoseconds of 2000 samples */
const trial = (round, nanoseconds) =>
  /** @type {any} */ ({
    ...trialOf(Array.from({length: 2000}, (_, index) => nanoseconds(index))),
    ...{round, messagesPerSecond: 1000, disturbed: false},
  });

const trials = [1, 2, 3].map((round) => trial(round, (index) => 100_000 + 10 * round * index));

const figures = {
  meanMs: 0.11,
  ci95Ms: [0.1, 0.12],
  minMs: 0.1,
  p50Ms: 0.11,
  p99Ms: 0.12,
  maxMs: 0.13,
  samples: 6000,
};
const identity = {
  battleId: 'b4771e',
  transport: 'rabbitmq',
  comparedBy: 'latency',
  startedAt: '2026-11-23T05:00:00.000Z',
  seed: 1,
};
const measured = {
  ...{rtt: figures, latencies: {}, openLoop: null, oneWay: null, link: null, floor: null, vsFastest: null},
  ...{counts: {lost: 0}, cpu: {client: {microsPerMessage: 30}, server: null, broker: {microsPerMessage: 50}}},
  ...{
    hosts: {client: 'a', server: 'a', broker: 'a'},
    variant: {},
    verdict: {status: 'valid', warnings: []},
    trials,
  },
};

/** @param {string} id @param {Partial<CompletedRecord>} [changes] */
const record = (id, changes = {}) => completedRecord({...identity, ...measured, id, ...changes});

/** @param {readonly CellRecord[]} records @param {Record<string, unknown> | null} [battle] */
const pageOf = (records, battle = null) =>
  battlePage({records, battle, floor: 'tcp', version: '0.1.0', settings: []});

/** @param {string} page */
function downloaded(page) {
  const [, data] = /href="data:application\/gzip;base64,([^"]+)"/.exec(page) ?? [];
  if (data === undefined) return null;
  const lines = gunzipSync(Buffer.from(data, 'base64')).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const two = [record('b4771e-1'), record('b4771e-2', {payloadBytes: 102_400})];

test('a page has its records for download, and each row and point names its record', () => {
  const page = pageOf(two);
  assert.deepEqual(downloaded(page), JSON.parse(JSON.stringify(two)));
  for (const {id} of two) {
    assert.ok(page.includes(`<tr id="record-${id}">`));
    assert.ok(page.includes(`; record ${id}</title>`));
  }
  assert.equal(page, pageOf(two), 'the same records give the same page');
});

test('its title and heading are the answer, and its contents link to each section, table and chart', () => {
  const page = pageOf(two);
  assert.match(page, /<title>RabbitMQ mode 1: 0\.11 ms mean round trip at 1 KB – perf-battle<\/title>/);
  assert.match(page, /<h1>RabbitMQ mode 1: 0\.11 ms mean round trip at 1 KB<\/h1>/);
  const [nav] = /<nav.*?<\/nav>/s.exec(page) ?? [''];
  const links = [...nav.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  const targets = [...page.matchAll(/<(?:h[23]|figure) id="([^"]+)"/g)].map(([, id]) => id);
  assert.deepEqual(links, targets);
  assert.equal(links.filter((id) => id.startsWith('rtt-')).length, chartsOf(two, 'tcp').length);
});

test('each chart has a table with the values of its points', () => {
  const page = pageOf(two);
  const figures = [...page.matchAll(/<figure.*?<\/figure>/gs)].map(([figure]) => figure);
  assert.equal(figures.length, chartsOf(two, 'tcp').length);
  for (const figure of figures) assert.match(figure, /<details class="values" open>.*<td>[\d.]+/s);
  assert.match(figures[0], /Values: mean, ms.*<th scope="col">1 KB<\/th>.*<td>0\.110 ± 0\.010<\/td>/s);
});

test('a page says transport and latency breakdown, and shows no name of a field', () => {
  const part = {meanMs: 0.1, ci95Ms: null};
  const anatomy = {request: part, handler: part, reply: part, clockBoundMs: 0};
  const battle = {hosts: {a: {clockReadNanos: 31.044999999494394, hostCores: 2}}};
  const page = pageOf([record('one', {anatomy: /** @type {any} */ (anatomy)})], battle);
  const text = page.replace(/<style>.*?<\/style>|<script>.*?<\/script>|<[^>]*>/gs, ' ');
  assert.match(text, /Transport.*Latency breakdown/s);
  assert.doesNotMatch(text, /facilitator|anatomy|hostCores|clockReadNanos|\d\.\d{5}/i);
});

test('a page loads nothing from elsewhere, and its policy allows its own style and script alone', () => {
  const page = pageOf(two);
  assert.doesNotMatch(page.replaceAll('http://www.w3.org/2000/svg', ''), /https?:\/\/|@import|url\(/);
  assert.match(
    page,
    /content="default-src &#39;none&#39;; style-src &#39;sha256-[^;]+&#39;; script-src &#39;sha256-[^;]+&#39;"/,
  );
  assert.equal(page.match(/<script/g)?.length, 1);
});

test('what a record contains is text, wherever it stands', () => {
  const hostile = '</script></style><script>alert(1)</script><img src=x onerror="alert(1)">&';
  const labels = {facilitator: hostile, qualifier: hostile, settings: [hostile], persistent: hostile};
  const named = {labels, machine: hostile, environment: hostile, workload: hostile, id: `x${hostile}`};
  const texts = {versions: {[hostile]: hostile}, config: {[hostile]: hostile}, transport: hostile};
  /** @type {CompletedRecord['verdict']} */
  const verdict = {status: 'suspect', warnings: [{code: hostile, message: hostile, advice: hostile}]};
  const failed = /** @type {any} */ ({
    ...{...record('f'), ...named, ...texts},
    ...{outcome: 'failed', error: {code: hostile, message: hostile}},
  });
  const records = [record('h', {...named, ...texts, verdict}), failed];
  const page = pageOf(records, {kind: 'battle', hosts: {[hostile]: {cpu: hostile, nested: {hostile}}}});
  assert.equal(page.match(/<script/g)?.length, 1);
  assert.doesNotMatch(page, /<img/);
  for (const {draw} of chartsOf(records, 'tcp')) assertWellFormed(draw());
});

test('a page stays below 400 kB: it leaves out the trials first', {skip: isQuick}, () => {
  const random = randomSource(1, 'samples');
  const cells = Array.from({length: 100}, (_, index) =>
    record(`b4771e-${index}`, {
      trials: [1, 2, 3].map((round) => trial(round, () => 50_000 * 1000 ** random())),
    }),
  );
  const page = pageOf(cells);
  assert.ok(Buffer.byteLength(page) <= 400_000, String(Buffer.byteLength(page)));
  const kept = downloaded(page);
  assert.equal(kept?.length, 100);
  assert.equal(kept?.[0].trials.length, 0);
  assert.match(page, /no room for the trials/);
});

test('a page of many cells stays below 400 kB, too: it names the charts that it leaves out', {
  skip: isQuick,
}, () => {
  const random = randomSource(2, 'samples');
  const cells = Array.from({length: 160}, (_, index) =>
    record(`b4771e-${index}`, {
      payloadBytes: 1024 * (1 + (index % 20)),
      labels: {facilitator: `Number ${index}`, qualifier: null, settings: [], persistent: 'N/A'},
      trials: [1, 2, 3].map((round) => trial(round, () => 50_000 * 1000 ** random())),
    }),
  );
  const page = pageOf(cells);
  assert.ok(Buffer.byteLength(page) <= 400_000, String(Buffer.byteLength(page)));
  const [, names] =
    /This page has no room for these charts, which perf-battle chart draws: ([^<]+)\.</.exec(page) ?? [];
  const [shown, leftOut] = [
    [...page.matchAll(/<figure id="([^"]+)">/g)].map(([, id]) => id),
    names.split(', '),
  ];
  assert.deepEqual(
    [...shown, ...leftOut].sort(),
    chartsOf(cells, 'tcp')
      .map(({id}) => id)
      .sort(),
  );
  assert.ok(shown.length > 0);
  assert.equal(downloaded(page)?.length, 160);
});

test('a battle of which nothing completed has its failures and no chart', () => {
  const failed = /** @type {any} */ ({
    ...record('f'),
    outcome: 'failed',
    error: {code: 'X', message: 'It broke.'},
  });
  const page = pageOf([failed]);
  assert.match(page, /It broke\./);
  assert.doesNotMatch(page, /<svg/);
});

test('charts are drawn for what was measured', () => {
  const ids = (/** @type {CellRecord[]} */ ...records) => chartsOf(records, 'tcp').map(({id}) => id);
  assert.deepEqual(ids(...two), [
    'rtt-over-size',
    ...['rtt-percentiles-1024', 'rtt-percentiles-102400', 'rtt-cpu-1024', 'rtt-cpu-102400'],
    ...['rtt-trials-1024', 'rtt-trials-102400'],
  ]);
  const at = (/** @type {number} */ offeredPerSecond) =>
    record(`at-${offeredPerSecond}`, {
      openLoop: {offeredPerSecond, achievedPerSecond: offeredPerSecond, keepsUp: true},
    });
  assert.ok(ids(at(100), at(1000)).includes('rtt-open-loop-response-1024'));
  assert.deepEqual(
    ids(at(100)).filter((id) => id.includes('response')),
    [],
  );
});

test('at one rate the lowest p99 is first, cells that fell behind are last, and a name has its rate once', () => {
  const cells = [
    {facilitator: 'A', p99Ms: 3, keepsUp: true},
    {facilitator: 'B', p99Ms: 1, keepsUp: false},
    {facilitator: 'C', p99Ms: 2, keepsUp: true},
    {facilitator: 'D', p99Ms: null, keepsUp: true},
  ].map(({facilitator, p99Ms, keepsUp}) =>
    record(facilitator, {
      labels: {facilitator, qualifier: null, settings: ['500/s'], persistent: ''},
      variant: {rate: 500},
      rtt: /** @type {any} */ ({...figures, p99Ms}),
      openLoop: {offeredPerSecond: 500, achievedPerSecond: 500, keepsUp},
    }),
  );
  const page = pageOf(cells);
  assert.deepEqual(
    [...page.matchAll(/<tr id="record-(\w)">/g)].map(([, id]) => id),
    ['C', 'A', 'D', 'B'],
  );
  assert.ok(page.includes('A (500/s)'));
  assert.ok(!page.includes('(500/s), 500/s'));
  assert.match(
    page,
    /Compared: .*; workload rtt \(requests at fixed times, whether or not replies come back\);/,
  );
  assert.match(pageOf(two), /; workload rtt \(one request in flight at a time\);/);
});

test('the page of choose has its question and what it says of each transport', () => {
  const asked = [
    {transport: 'tcp', facilitator: 'TCP', p99Ms: 0.1},
    {transport: 'slow', facilitator: 'Slow', p99Ms: 12},
    {transport: 'quick', facilitator: 'Quick', p99Ms: 2},
  ].map(({transport, facilitator, p99Ms}) =>
    record(facilitator, {
      transport,
      labels: {facilitator, qualifier: null, settings: ['500/s'], persistent: ''},
      variant: {rate: 500},
      config: {p99Ms: 5},
      rtt: /** @type {any} */ ({...figures, p99Ms, maxMs: 20, ci95: {p99Ms: [0.9 * p99Ms, 1.1 * p99Ms]}}),
      openLoop: {offeredPerSecond: 500, achievedPerSecond: 500, keepsUp: true},
    }),
  );
  const question = 'Which transport sustains 500/s of 1 KB with a p99 of at most 5 ms?';
  const page = pageOf(asked);
  assert.ok(page.includes(`<h1>${question}</h1>`));
  assert.deepEqual(
    [...page.matchAll(/<li>(\w+ (?:holds it|does not).*?)<\/li>/g)].map(([, text]) => text),
    ['Quick holds it: p99 is 2.0 ms [1.8, 2.2].', 'Slow does not: p99 is 12.0 ms [10.8, 13.2].'],
  );
});

test('the response time over the rate is a line for each transport, and a hollow mark where it did not keep up', () => {
  const rates = [100, 1000, 10_000];
  const records = [{facilitator: 'TCP'}, {facilitator: 'HTTP'}].flatMap(({facilitator}, index) =>
    rates.map((rate) =>
      record(`${facilitator}-${rate}`, {
        labels: {facilitator, qualifier: null, settings: ['Express', `${rate}/s`], persistent: ''},
        variant: {rate},
        openLoop: {offeredPerSecond: rate, achievedPerSecond: rate, keepsUp: index === 0 || rate < 10_000},
      }),
    ),
  );
  const chart = chartsOf(records, 'tcp').find(({id}) => id === 'rtt-open-loop-response-1024');
  const svg = String(chart?.draw());
  const lines = [...svg.matchAll(/class="line"[^>]* d="(M[^"]*L[^"]*)"/g)].map(([, d]) => d);
  assert.deepEqual(
    lines.map((d) => d.match(/L/g)?.length),
    [2, 2],
  );
  assert.match(svg, />HTTP \(Express\)</);
  assert.equal(svg.match(/class="mark hollow"/g)?.length, 1);
  assert.match(chart?.note ?? '', /hollow/);
});

test('a suspect figure has a hollow mark, and the values say so', () => {
  const verdict = /** @type {any} */ ({status: 'suspect', warnings: []});
  const records = [record('one'), record('two', {payloadBytes: 102_400, verdict})];
  const chart = chartsOf(records, 'tcp').find(({id}) => id === 'rtt-over-size');
  assert.equal(String(chart?.draw()).match(/class="mark hollow"/g)?.length, 1);
  assert.match(chart?.note ?? '', /A hollow mark is suspect\./);
  assert.deepEqual(chart?.values.rows[0].cells, ['0.110 ± 0.010', '0.110 ± 0.010 (suspect)']);
  assert.doesNotMatch(chartsOf(two, 'tcp').find(({id}) => id === 'rtt-over-size')?.note ?? '', /hollow/);
});

test('the values of many rounds are folded, and a star marks those that do not count', () => {
  const many = Array.from({length: 20}, (_, index) => ({...trial(index + 1, () => 1e5), used: index > 0}));
  const records = [record('one', {trials: many})];
  const chart = chartsOf(records, 'tcp').find(({id}) => id.includes('trials'));
  assert.equal(chart?.values.isFolded, true);
  // On the page, each round has a row: 20 columns fit on no screen.
  assert.match(pageOf(records), /<th class="text" scope="row">round 20<\/th><td>0\.100<\/td><\/tr>/);
  assert.deepEqual(chart?.values.rows[0].cells.slice(0, 2), ['0.100*', '0.100']);
});
