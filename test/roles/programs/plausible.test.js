import assert from 'node:assert/strict';
import {test} from 'node:test';
import {conforming, events} from '../../../src/roles/programs/contract.js';
import {refuseImpossible, refuseImpossibleMark} from '../../../src/roles/programs/plausible.js';

/** @param {Record<string, unknown>} changes @param {object} [part] */
function judge(changes, part = {}) {
  const good = {event: 'result', samplesNs: [4e6, 5e6], received: 2, verified: 2, discarded: 7};
  const result = conforming(events.client.result, {...good, ...changes}, 'client');
  const options = {window: 1, samples: null};
  refuseImpossible(result, {wallMs: 10, sent: undefined, options, ...part});
}

const phases = {enqueue: {messages: 5, ms: 4}, dequeue: {messages: 5, ms: 5}};
const oneWay = {samplesNs: undefined, received: undefined, verified: undefined, sent: 1000};

/** @type {[string, Record<string, unknown>, object?][]} */
const possible = [
  ['samples that fill the time', {}],
  ['a clock that is a little faster', {samplesNs: [5.05e6, 5e6]}],
  [
    'as many samples at once as there are in flight',
    {samplesNs: [9e6, 9e6]},
    {options: {window: 2, samples: 2}},
  ],
  ['a request that was given up', {received: 1, verified: 1, timedOut: 1}],
  ['phases within the time', {samplesNs: undefined, phases, received: 5, verified: 5}],
  ['one-way messages', oneWay, {sent: 1000}],
];
for (const [what, changes, part] of possible)
  test(`a program may measure ${what}`, () => assert.doesNotThrow(() => judge(changes, part)));

/** @type {[string, Record<string, unknown>, RegExp, object?][]} */
const impossible = [
  ['samples of 5 s within milliseconds', {samplesNs: [5e9, 5e9]}, /samplesNs: 2 .*\b10000 ms .*\b10 ms/],
  ['more samples than were asked for', {}, /samplesNs: .*\b2\b.*\b1\b/, {options: {window: 1, samples: 1}}],
  ['a duration longer than the measurement', {durationMs: 5000}, /durationMs: 5000 ms .*\b10 ms/],
  ['a duration shorter than its samples', {durationMs: 1e-9}, /samplesNs: .*\b1e-9 ms/],
  ['timeouts of more requests than there were', {timedOut: 99_999}, /timedOut: 99999 .*\b0 of 2/],
  ['more wrong replies than replies', {corrupted: 3}, /corrupted: 3 of 2/],
  ['another number than it said before', oneWay, /sent: .*\b1000\b.*\b900\b/, {sent: 900}],
  ['more messages than nanoseconds', {...oneWay, sent: 1e12}, /sent: 1000000000000 /],
  [
    'phases longer than the measurement',
    {samplesNs: undefined, received: 5, verified: 5, phases: {...phases, enqueue: {messages: 5, ms: 400}}},
    /phases: 405 ms/,
  ],
  [
    'a phase without time for its messages',
    {samplesNs: undefined, received: 5, verified: 5, phases: {...phases, dequeue: {messages: 5, ms: 1e-9}}},
    /phases\.dequeue: 5 .*\b1e-9 ms/,
  ],
  [
    'encoded samples longer than the measurement',
    {
      samplesNs: undefined,
      encoded: {samples: 2, meanMs: 500, minMs: 400, maxMs: 600, stdevMs: 1, histogram: ''},
    },
    /encoded: 2 .*\b1000 ms/,
  ],
  [
    'hits longer than the measurement',
    {samplesNs: undefined, cache: {hitsNs: [9e6, 9e6], missesNs: []}},
    /cache: 2 .*\b18 ms/,
  ],
];
for (const [what, changes, message, part] of impossible)
  test(`a program cannot have measured ${what}`, () =>
    assert.throws(() => judge(changes, part), {code: 'PB_ADAPTER', message}));

test('a server cannot have received before the last mark', () => {
  const arrived = {
    ...{messages: 5, duplicated: 0, reordered: 0, verified: 0, corrupted: 0, mismatch: null},
    ...{sinceFirstMs: 90, sinceLastMs: 1},
  };
  assert.doesNotThrow(() => refuseImpossibleMark({served: 5, arrived}, 100));
  assert.throws(() => refuseImpossibleMark({served: 5, arrived}, 50), {
    code: 'PB_ADAPTER',
    message: /arrived\.sinceFirstMs: 90 ms/,
  });
  assert.throws(() => refuseImpossibleMark({served: 1e12}, 50), {
    code: 'PB_ADAPTER',
    message: /server .* served: 1000000000000/,
  });
});
