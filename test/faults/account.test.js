import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {accountOf, outageOf, timelineOf} from '../../src/faults/account.js';
import {outcomes} from '../../src/measure/message-log.js';

/** @typedef {{sentMs: number, settledMs: number | null, outcome: number, isReceived: boolean, isAcknowledged?: boolean, isRetried?: boolean}} Message */

/** @param {readonly Message[]} messages */
function logOf(messages) {
  return {
    messages: messages.length,
    startMs: 1000,
    sentMs: Float32Array.from(messages, ({sentMs}) => sentMs),
    settledMs: Float32Array.from(messages, ({settledMs}) => settledMs ?? Number.NaN),
    outcomes: Uint8Array.from(messages, ({outcome}) => outcome),
    retried: new Set(messages.flatMap(({isRetried}, sequence) => (isRetried ? [sequence] : []))),
  };
}

/** @param {readonly Message[]} messages */
function seenOf(messages) {
  const numbersOf = (/** @type {(message: Message) => boolean} */ isIn) =>
    new Set(messages.flatMap((message, sequence) => (isIn(message) ? [sequence] : [])));
  return {
    received: numbersOf(({isReceived}) => isReceived),
    acknowledged: numbersOf(({isAcknowledged = false}) => isAcknowledged),
  };
}

const open = {settledMs: null, outcome: outcomes.open};
const taken = {settledMs: 5, outcome: outcomes.taken};
const refused = {settledMs: 5, outcome: outcomes.refused};

test('each message is counted by what its sender and its receiver know of it', () => {
  const messages = [
    {sentMs: 1, ...taken, isReceived: true, isAcknowledged: true},
    {sentMs: 2, ...taken, isReceived: false},
    {sentMs: 3, ...open, isReceived: true},
    {sentMs: 4, ...open, isReceived: false, isRetried: true},
    {sentMs: 4, ...refused, isReceived: false},
  ];
  assert.deepEqual(accountOf(logOf(messages), seenOf(messages)), {
    sent: 5,
    confirmed: 2,
    refused: 1,
    open: 2,
    received: 2,
    acknowledged: 1,
    lost: 3,
    confirmedLost: 1,
    unconfirmedReceived: 1,
    retried: 1,
  });
});

test('a reply shows that its request was received', () => {
  const messages = [
    {sentMs: 1, ...taken, isReceived: false},
    {sentMs: 2, ...open, isReceived: false},
  ];
  const {received, acknowledged, lost, confirmedLost} = accountOf(logOf(messages), null);
  assert.deepEqual(
    {received, acknowledged, lost, confirmedLost},
    {received: 1, acknowledged: null, lost: 1, confirmedLost: 0},
  );
});

test('a message counts as acknowledged only if it was received as it was sent', () => {
  const messages = [
    {sentMs: 1, ...taken, isReceived: true, isAcknowledged: true},
    {sentMs: 2, ...taken, isReceived: false, isAcknowledged: true},
    {sentMs: 3, ...taken, isReceived: true, isAcknowledged: false},
  ];
  const seen = seenOf(messages);
  assert.equal(accountOf(logOf(messages), seen).acknowledged, 1);
  const unknown = accountOf(logOf(messages), {...seen, acknowledged: null});
  assert.equal(
    unknown.acknowledged,
    null,
    'a transport that does not say is not one that acknowledges nothing',
  );
});

test('at a power cut, only what was sent and confirmed until then counts', () => {
  const messages = [
    {sentMs: 1, settledMs: 5, outcome: outcomes.taken, isReceived: true},
    {sentMs: 9, settledMs: 12, outcome: outcomes.taken, isReceived: false},
    {sentMs: 10, settledMs: 30, outcome: outcomes.taken, isReceived: false},
    {sentMs: 11, settledMs: 40, outcome: outcomes.taken, isReceived: true},
  ];
  const {
    sent,
    confirmed,
    open: unknown,
    confirmedLost,
  } = accountOf(logOf(messages), seenOf(messages), {
    sentMs: 1010,
    settledMs: 1020,
  });
  assert.deepEqual(
    {sent, confirmed, unknown, confirmedLost},
    {sent: 3, confirmed: 2, unknown: 1, confirmedLost: 1},
  );
});

test('the counts add up, whatever happened', () => {
  const message = fc.record({
    sentMs: fc.integer({min: 0, max: 1000}),
    settledMs: fc.option(fc.integer({min: 0, max: 2000})),
    outcome: fc.constantFrom(...Object.values(outcomes)),
    isReceived: fc.boolean(),
    isAcknowledged: fc.boolean(),
    isRetried: fc.boolean(),
  });
  const until = fc.option(
    fc.record({sentMs: fc.integer({min: 900, max: 2100}), settledMs: fc.integer({min: 900, max: 3100})}),
    {nil: undefined},
  );
  fc.assert(
    fc.property(fc.array(message, {maxLength: 60}), until, fc.boolean(), (messages, cut, isStored) => {
      const settled = messages.map((one) =>
        one.settledMs === null ? {...one, outcome: outcomes.open} : one,
      );
      const found = accountOf(logOf(settled), isStored ? seenOf(settled) : null, cut);
      assert.equal(found.sent, found.received + found.lost);
      assert.equal(found.sent, found.confirmed + found.refused + found.open);
      assert.equal(found.received, found.confirmed - found.confirmedLost + found.unconfirmedReceived);
      assert.ok(found.confirmedLost <= found.lost);
      assert.ok(Number(found.retried) <= found.sent);
      const isCounted = (/** @type {Message} */ one) => one.isReceived && one.isAcknowledged;
      if (!isStored) assert.equal(found.acknowledged, null);
      else assert.ok(Number(found.acknowledged) <= found.received);
      if (isStored && cut === undefined)
        assert.equal(found.acknowledged, settled.filter(isCounted).length, 'those, and no others');
      if (cut === undefined) assert.equal(found.sent, messages.length);
    }),
  );
});

const rate = 100;

/**
 * A load whose messages are due every 10 ms and answered after 1 ms, but for those that are due while nobody answers: they are sent when it is over.
 * @param {{messages: number, downFrom: number, downTo: number, isConfirmed?: boolean}} load
 */
function loadWith({messages, downFrom, downTo, isConfirmed = true}) {
  const due = Array.from({length: messages}, (_, sequence) => sequence * 10);
  const sent = due.map((at) => (at >= downFrom && at < downTo ? downTo : at));
  return {
    startMs: 5000,
    rate,
    settles: isConfirmed,
    messages,
    resent: 0,
    retried: new Set(),
    outages: [],
    sentMs: Float32Array.from(sent),
    settledMs: Float32Array.from(sent, (at) => (isConfirmed ? at + 1 : Number.NaN)),
    outcomes: Uint8Array.from(sent, () => (isConfirmed ? outcomes.taken : outcomes.open)),
  };
}

test('an outage is the time from the last good reply before a fault to the first one after it', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.equal(found.ms, 1801 - 991);
  assert.equal(found.restartMs, 500);
  assert.equal(found.recoveryMs, 301);
  assert.equal(found.rateBackMs, 1800 - 1500);
  assert.equal(found.worstMs, 1801 - 1000);
});

test('a broker is restarted before the servers that ended with it: their outage overlaps the return of the last of them', () => {
  const log = loadWith({messages: 300, downFrom: 1200, downTo: 1800});
  // The last reply of a server that had the request came after the broker's return.
  const fault = {fromMs: 6000, untilMs: 6100, endMs: 8000};
  assert.equal(outageOf(log, fault).ms, 10, 'no longer pause overlaps the time without a broker');
  const found = outageOf(log, {...fault, servedMs: 6700});
  assert.deepEqual([found.ms, found.restartMs, found.recoveryMs], [1801 - 1191, 100, 1801 - 1100]);
});

test('without confirms, the sends stand for the replies', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800, isConfirmed: false});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.equal(found.ms, 1800 - 990);
  assert.equal(found.worstMs, null);
});

test('an outage that does not end has no length', () => {
  const log = loadWith({messages: 100, downFrom: 1000, downTo: 1000});
  const found = outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000});
  assert.deepEqual([found.ms, found.recoveryMs, found.rateBackMs], [null, null, null]);
});

test('what is after the next fault does not count', () => {
  const log = loadWith({messages: 300, downFrom: 1000, downTo: 1800});
  assert.equal(outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 6700}).ms, null);
});

test('the reply that was on its way when the fault was done does not end the outage', () => {
  const log = loadWith({messages: 300, downFrom: 1010, downTo: 1800});
  assert.equal(outageOf(log, {fromMs: 6000.5, untilMs: 6500, endMs: 8000}).ms, 1801 - 1001);
});

test('where replies are expected and none comes, the sends do not stand for them', () => {
  const log = {...loadWith({messages: 300, downFrom: 1000, downTo: 1800, isConfirmed: false}), settles: true};
  assert.equal(outageOf(log, {fromMs: 6000, untilMs: 6500, endMs: 8000}).ms, null);
});

test('what stays down has an outage without an end, unless something else serves on', () => {
  const stays = {fromMs: 6000, untilMs: null, endMs: 8000};
  const none = {restartMs: null, recoveryMs: null, rateBackMs: null};
  const {worstMs: _, ...dead} = outageOf(loadWith({messages: 101, downFrom: 2000, downTo: 2000}), stays);
  assert.deepEqual(dead, {ms: null, ...none}, 'the last reply was on its way when the fault was done');
  const {worstMs, ...taken} = outageOf(loadWith({messages: 300, downFrom: 1000, downTo: 1200}), stays);
  assert.deepEqual([taken, worstMs], [{ms: 1201 - 991, ...none}, 1201 - 1000]);
  const {ms} = outageOf(loadWith({messages: 300, downFrom: 5000, downTo: 5000}), stays);
  assert.equal(ms, 10, 'another server took over at once');
  const paused = outageOf(loadWith({messages: 271, downFrom: 5000, downTo: 5000}), {...stays, endMs: 8000});
  assert.equal(paused.ms, 10, 'the host paused for 0.3 s at the end');
  assert.equal(outageOf(loadWith({messages: 0, downFrom: 0, downTo: 0}), stays).ms, null);
});

/** @param {readonly {sent: number, settled: number | null}[]} messages */
function timedLogOf(messages) {
  const settles = messages.some(({settled}) => settled !== null);
  return {
    ...{
      startMs: 500,
      rate: 10,
      settles,
      messages: messages.length,
      resent: 0,
      retried: new Set(),
      outages: [],
    },
    sentMs: Float32Array.from(messages, ({sent}) => sent),
    settledMs: Float32Array.from(messages, ({settled}) => settled ?? Number.NaN),
    outcomes: Uint8Array.from(messages, ({settled}) => (settled === null ? outcomes.open : outcomes.taken)),
  };
}

test('a timeline has the good replies and the worst response of each part, and when faults were done', () => {
  const log = timedLogOf([
    {sent: 0, settled: 10},
    {sent: 100, settled: 130},
    {sent: 200, settled: null},
    {sent: 310, settled: 350},
    {sent: 400, settled: null},
  ]);
  assert.deepEqual(timelineOf(log, [{fromMs: 650, untilMs: 800}]), {
    partMs: 100,
    isConfirmed: true,
    rate: 10,
    behindMs: 0,
    goodPerSecond: [10, 10, 0, 10],
    worstMs: [10, 30, null, 50],
    faults: [{fromMs: 150, untilMs: 300}],
  });
});

test('a timeline says how late its load was when the fault came', () => {
  const messages = Array.from({length: 5}, (_, at) => ({sent: at * 300, settled: at * 300 + 290}));
  const behind = (/** @type {number} */ at) =>
    timelineOf(timedLogOf(messages), [{fromMs: 500 + at, untilMs: 500 + at + 50}]).behindMs;
  // Due each 100 ms, sent each 300 ms: at 1000 ms, four messages are sent, and the fifth was due at 400 ms.
  assert.deepEqual([behind(50), behind(1000)], [0, 600]);
  const none = timelineOf({...timedLogOf(messages), rate: null}, [{fromMs: 1500, untilMs: 1600}]);
  assert.equal(none.behindMs, null);
  assert.equal(timelineOf(timedLogOf(messages), []).behindMs, null);
});

test('where nothing is confirmed, the sends count', () => {
  const {goodPerSecond, worstMs} = timelineOf(
    timedLogOf([
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
  const {partMs, goodPerSecond} = timelineOf(timedLogOf(messages), []);
  assert.equal(partMs, 1000);
  assert.equal(goodPerSecond.length, 60);
});
