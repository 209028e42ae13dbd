import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deflateSync} from 'node:zlib';
import {conforming, events} from '../../../src/roles/programs/contract.js';
import {requireReply} from '../../../src/roles/programs/program.js';
import {reportOf} from '../../../src/roles/programs/server.js';
import {workloadResultOf} from '../../../src/roles/programs/workload-result.js';
import {Histogram} from '../../../src/stats/histogram.js';
import {workloads} from '../../../src/workloads/index.js';

/** @import {Usage} from '../../../src/measure/types.js' */

const usage = /** @type {Usage} */ ({userMs: 1});

/** @param {Record<string, unknown>} changes */
function resultOf(changes, workload = 'rtt', parts = {}) {
  const good = {event: 'result', samplesNs: [1000, 3000], received: 2, verified: 2, discarded: 7};
  const result = conforming(events.client.result, {...good, ...changes}, 'client');
  return workloadResultOf(result, {workload: workloads[workload], timeoutMs: 500, ...parts}, usage);
}

test('samples become a distribution, counts and the rate of round trips one after the other', () => {
  const {latency, timed, counts, warmUp, windows} = resultOf({});
  assert.equal(latency?.mean, 2000);
  assert.deepEqual(timed, {messages: 2, ms: 0.004});
  assert.equal(counts.sent, 2);
  assert.equal(counts.lost, 0);
  assert.deepEqual(warmUp, {discarded: 7});
  assert.equal(windows, null);
});

test('ten parts of the samples show whether the warm-up was enough', () => {
  const samplesNs = Array.from({length: 100}, (_, index) => 1e6 * (1 + Math.floor(index / 10)));
  const {windows} = resultOf({samplesNs, received: 100, verified: 100});
  assert.deepEqual(
    windows?.map((ms) => Math.round(ms)),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

test('an encoded histogram is taken as it is', () => {
  const histogram = new Histogram();
  for (const value of [1000, 3000]) histogram.add(value);
  const {latency} = resultOf({samplesNs: undefined, encoded: histogram.encode()});
  assert.equal(latency?.mean, 2000);
  assert.equal(latency?.count, 2);
});

test('the rate of several requests in flight is that of the whole time', () => {
  assert.deepEqual(resultOf({durationMs: 50, verified: 0}, 'pipeline').timed, {messages: 2, ms: 50});
});

test('a request without a reply is lost', () => {
  const {counts} = resultOf({received: 1, verified: 1, timedOut: 1});
  assert.deepEqual([counts.sent, counts.received, counts.lost, counts.timedOut], [2, 1, 1, 1]);
});

const phases = {enqueue: {messages: 2, ms: 4}, dequeue: {messages: 2, ms: 6}};
const stored = {samplesNs: undefined, phases};

test('a queue has two phases, which make its rate, and no latencies', () => {
  const {latency, timed, counts, ...result} = resultOf({...stored, verified: 0}, 'queue');
  assert.equal(latency, null);
  assert.deepEqual(result.phases, phases);
  assert.deepEqual(timed, {messages: 2, ms: 10});
  assert.deepEqual([counts.sent, counts.received, counts.lost], [2, 2, 0]);
});

test('a message that did not come out of the queue is lost', () => {
  assert.equal(resultOf({...stored, received: 1, verified: 1}, 'queue').counts.lost, 1);
});

const oneWay = {samplesNs: undefined, received: undefined, verified: undefined, sent: 500};

test('one-way messages are counted by the server: the client has neither latencies nor a rate', () => {
  const {latency, timed, counts, phases: none} = resultOf(oneWay, 'stream');
  assert.deepEqual([latency, timed, none], [null, null, {}]);
  assert.deepEqual([counts.sent, counts.received, counts.lost], [500, 0, 0]);
});

test('with a closing call, the client has the time until its reply', () => {
  const {phases: timedBySender} = resultOf({...oneWay, durationMs: 20}, 'stream', {closingCall: true});
  assert.deepEqual(timedBySender, {sender: {messages: 500, ms: 20}});
});

test('what arrived one way becomes the report of a server, by the clock of its host', () => {
  const mark = {event: 'progress', phase: 'mark', served: 0};
  const given = {messages: 10, duplicated: 2, sinceFirstMs: 30, sinceLastMs: 5};
  const {arrived} = conforming(events.server.mark, {...mark, arrived: given}, 'server');
  assert.ok(arrived);
  const report = reportOf(arrived, {payloadBytes: 100, nowMs: 1000});
  assert.deepEqual([report.messages, report.distinct, report.bytes], [10, 8, 1000]);
  assert.deepEqual([report.firstMs, report.lastMs, report.verified], [970, 995, 0]);
});

for (const [what, given] of /** @type {[string, object][]} */ ([
  ['the last message before the first', {messages: 10, sinceFirstMs: 5, sinceLastMs: 30}],
  ['no messages', {messages: 0, sinceFirstMs: 5, sinceLastMs: 5}],
  ['only duplicates', {messages: 3, duplicated: 3, sinceFirstMs: 5, sinceLastMs: 5}],
]))
  test(`a mark with ${what} is an error`, () => {
    const mark = {event: 'progress', phase: 'mark', served: 0, arrived: given};
    assert.throws(() => conforming(events.server.mark, mark, 'server'), {
      code: 'PB_ADAPTER',
      message: /mark event .* arrived/,
    });
  });

test('a program that does not repeat the kind of reply is refused, because it would echo', () => {
  assert.throws(() => requireReply({reply: 'increment'}, {}, 'server'), {
    code: 'PB_ADAPTER',
    message: /server .*--reply increment/,
  });
  requireReply({reply: 'increment'}, {reply: 'increment'}, 'server');
  requireReply({reply: 'echo'}, {}, 'client');
});

test('pairs of a queue have latencies, and the rate of the whole time', () => {
  const {latency, timed, phases: none} = resultOf({durationMs: 50}, 'queue', {pairwise: true});
  assert.deepEqual([latency?.mean, timed, none], [2000, {messages: 2, ms: 50}, undefined]);
  assert.throws(() => resultOf(stored, 'queue', {pairwise: true}), {
    code: 'PB_ADAPTER',
    message: /with phases/,
  });
});

const throughCache = {samplesNs: undefined, cache: {hitsNs: [100, 300], missesNs: [8000]}};
const three = {...throughCache, received: 3, verified: 3};

test('requests through a cache have a distribution of hits, one of misses, and that of all', () => {
  const {latency, beside, timed, counts, notes} = resultOf(three, 'cached', {hitRatio: 0.6});
  assert.deepEqual([beside?.hit.mean, beside?.miss.mean, latency?.mean], [200, 8000, 2800]);
  assert.deepEqual(
    [timed, notes],
    [
      {messages: 3, ms: 0.0084},
      {hits: 2, misses: 1},
    ],
  );
  assert.deepEqual([counts.sent, counts.received], [3, 3]);
});

test('a cache that answers every request has no misses', () => {
  const all = {...three, cache: {hitsNs: [100, 300, 500], missesNs: []}};
  const {beside, latency} = resultOf(all, 'cached', {hitRatio: 1});
  assert.deepEqual([beside?.miss.count, latency?.count], [0, 3]);
});

test('a cache that answers another share than the requested one is an error', () => {
  const cache = {hitsNs: Array(900).fill(100), missesNs: Array(100).fill(8000)};
  const given = {...throughCache, cache, received: 1000, verified: 1000};
  assert.equal(resultOf(given, 'cached', {hitRatio: 0.91}).counts.sent, 1000);
  assert.throws(() => resultOf(given, 'cached', {hitRatio: 0.95}), {
    code: 'PB_ADAPTER',
    message: /900 of 1000 .*0\.95/,
  });
});

const ofRows = {rows: 10, window: 1};

test('replies of rows have the rate of their times alone, and the number of rows', () => {
  const {timed, notes, latency} = resultOf({rows: 20, verified: 1}, 'recordset', ofRows);
  assert.deepEqual([timed, notes, latency?.count], [{messages: 2, ms: 0.004}, {rows: 20}, 2]);
});

test('the rate of several requests for rows in flight is that of the whole time', () => {
  const {timed} = resultOf({rows: 20, durationMs: 50}, 'recordset', {...ofRows, window: 16});
  assert.deepEqual(timed, {messages: 2, ms: 50});
});

for (const [
  what,
  changes,
  message,
  code = 'PB_ADAPTER',
] of /** @type {[string, Record<string, unknown>, RegExp, string?][]} */ ([
  ['rows that were left out', {rows: 19}, /19 rows in 2 replies of 10/, 'PB_WRONG_REPLY'],
  ['no number of rows', {}, /without rows/],
  ['replies of rows of which none was compared', {rows: 20, verified: 0}, /compared no reply/],
  ['wrong rows', {rows: 20, corrupted: 1, mismatch: 'row 3'}, /1 of 2 .*row 3/, 'PB_WRONG_REPLY'],
]))
  test(`${what} is an error`, () => {
    assert.throws(() => resultOf(changes, 'recordset', ofRows), {code, message});
  });

/** @param {readonly number[]} samplesNs @param {object} [changes] */
function encodedOf(samplesNs, changes = {}) {
  const histogram = new Histogram();
  for (const sample of samplesNs) histogram.add(sample);
  return {samplesNs: undefined, encoded: {...histogram.encode(), ...changes}};
}

/** Megabytes of zeros, which are some kilobytes as a program sends them. */
const inflating = Buffer.concat([Buffer.alloc(8), deflateSync(Buffer.alloc(16 * 1024 ** 2))]).toString(
  'base64',
);

const encoded = {samples: 2, meanMs: 1, minMs: 1, maxMs: 1, stdevMs: 0, histogram: 'no histogram'};

/** What is wrong; the workload, if it is not rtt; the code, if it is not PB_ADAPTER. @type {[string, Record<string, unknown>, RegExp, string?, string?][]} */
const refused = [
  ['no samples', {samplesNs: undefined}, /result event .* either samplesNs or encoded/],
  ['a cache without requests', {...three, cache: {hitsNs: [], missesNs: []}}, /cache: has no samples/],
  ['requests through a cache in place of round trips', three, /with cache/],
  ['samples and phases', {phases}, /or phases/],
  [
    'a phase without a time',
    {...stored, phases: {...phases, dequeue: {messages: 2, ms: 0}}},
    /phases\.dequeue\.ms/,
    'queue',
  ],
  ['samples of a queue', {}, /without phases/, 'queue'],
  ['samples of one-way messages', {}, /without sent/, 'stream'],
  ['one-way messages in place of round trips', oneWay, /with sent/],
  ['rows of round trips', {rows: 2}, /with rows/],
  ['no count of replies', {received: undefined}, /how many replies were received and verified/],
  ['phases of round trips', stored, /with phases/],
  ['two kinds of samples', {encoded}, /either samplesNs or encoded/],
  ['an empty list', {samplesNs: []}, /samplesNs/],
  ['a sample of zero', {samplesNs: [0, 1]}, /samplesNs\.0/],
  ['a sample that is no number', {samplesNs: ['1', 1]}, /samplesNs\.0/],
  ['more replies than requests', {received: 3}, /more replies than requests/],
  ['more verified replies than replies', {received: 1}, /more verified/],
  ['no count of the warm-up', {discarded: undefined}, /discarded/],
  [
    'a histogram that cannot be read',
    {samplesNs: undefined, encoded},
    /encoded\.histogram: it cannot be decoded/,
  ],
  ['a histogram of zeros', encodedOf([0, 0]), /encoded\.minMs: it is 0/],
  ['a mean above the maximum', encodedOf([1000, 3000], {meanMs: 1}), /encoded\.meanMs: 1 is not between/],
  ['a mean below the minimum', encodedOf([1000, 3000], {meanMs: 1e-5}), /encoded\.meanMs/],
  [
    'a minimum above the maximum',
    encodedOf([1000, 3000], {minMs: 1, maxMs: 0.5}),
    /encoded\.minMs: 1 is above/,
  ],
  ['an impossible deviation', encodedOf([1000, 3000], {stdevMs: 1}), /encoded\.stdevMs/],
  ['no number as a mean', encodedOf([1000, 3000], {meanMs: null}), /encoded\.meanMs/],
  [
    'a histogram of other samples',
    encodedOf([1000, 3000], {minMs: 0.0005}),
    /encoded\.histogram: its minMs is 0\.001/,
  ],
  [
    'a histogram of fewer samples',
    encodedOf([1000, 2000, 3000], {samples: 4}),
    /encoded\.histogram: it has 3 samples, not 4/,
  ],
  [
    'a histogram that becomes large',
    encodedOf([1000, 3000], {histogram: inflating}),
    /encoded\.histogram: it cannot/,
  ],
  ['a histogram that is large', encodedOf([1000, 3000], {histogram: 'A'.repeat(2e6)}), /encoded\.histogram/],
  [
    'a window outside of all samples',
    {...encodedOf([1000, 3000]), windows: Array(10).fill(0.004)},
    /windows: 0\.004 is not between/,
  ],
  ['a sample shorter than a nanosecond', {samplesNs: [1e-300, 1]}, /samplesNs\.0/],
  ['more replies than anybody can count', {duplicated: 1e15}, /duplicated/],
  ['replies that were not compared', {verified: 1}, /only 1 of 2 replies/],
  ['wrong replies', {corrupted: 1, mismatch: 'byte 5 is 1'}, /1 of 2 .*byte 5 is 1/, 'rtt', 'PB_WRONG_REPLY'],
  ['no replies', {received: 0, verified: 0}, /\b2 requests .*500 ms/, 'rtt', 'PB_NO_REPLY'],
  ['no duration where a rate needs one', {}, /durationMs/, 'pipeline'],
];
for (const [what, changes, message, workload, code = 'PB_ADAPTER'] of refused)
  test(`${what} is an error`, () => {
    assert.throws(() => resultOf(changes, workload), {code, message});
  });

test('fields of later versions are allowed', () => {
  assert.equal(resultOf({later: true}).counts.sent, 2);
});
