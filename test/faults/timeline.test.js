import assert from 'node:assert/strict';
import {test} from 'node:test';
import {timelineOf} from '../../src/faults/account.js';
import {outcomes} from '../../src/measure/message-log.js';

/** @param {readonly {sent: number, settled: number | null}[]} messages */
function logOf(messages) {
  const settles = messages.some(({settled}) => settled !== null);
  return {
    ...{startMs: 500, rate: 10, settles, messages: messages.length, resent: 0, outages: []},
    sentMs: Float32Array.from(messages, ({sent}) => sent),
    settledMs: Float32Array.from(messages, ({settled}) => settled ?? Number.NaN),
    outcomes: Uint8Array.from(messages, ({settled}) => (settled === null ? outcomes.open : outcomes.taken)),
  };
}

test('a timeline has the good replies and the worst response of each part, and when faults were done', () => {
  const log = logOf([
    {sent: 0, settled: 10},
    {sent: 100, settled: 130},
    {sent: 200, settled: null},
    {sent: 310, settled: 350},
    {sent: 400, settled: null},
  ]);
  assert.deepEqual(timelineOf(log, [{fromMs: 650, untilMs: 800}]), {
    partMs: 100,
    isConfirmed: true,
    goodPerSecond: [10, 10, 0, 10],
    worstMs: [10, 30, null, 50],
    faults: [{fromMs: 150, untilMs: 300}],
  });
});

test('where nothing is confirmed, the sends count', () => {
  const {goodPerSecond, worstMs} = timelineOf(
    logOf([
      {sent: 0, settled: null},
      {sent: 150, settled: null},
      {sent: 210, settled: null},
    ]),
    [],
  );
  assert.deepEqual(
    [goodPerSecond, worstMs],
    [
      [10, 10],
      [null, null],
    ],
  );
});

test('a long load has at most 60 parts and one', () => {
  const messages = Array.from({length: 601}, (_, at) => ({sent: at * 100, settled: at * 100 + 1}));
  const {partMs, goodPerSecond} = timelineOf(logOf(messages), []);
  assert.equal(partMs, 1000);
  assert.equal(goodPerSecond.length, 60);
});
