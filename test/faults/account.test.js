import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {accountOf} from '../../src/faults/account.js';
import {outcomes} from '../../src/measure/message-log.js';

/** @typedef {{sentMs: number, settledMs: number | null, outcome: number, isReceived: boolean}} Message */

/** @param {readonly Message[]} messages */
function logOf(messages) {
  return {
    messages: messages.length,
    startMs: 1000,
    sentMs: Float32Array.from(messages, ({sentMs}) => sentMs),
    settledMs: Float32Array.from(messages, ({settledMs}) => settledMs ?? Number.NaN),
    outcomes: Uint8Array.from(messages, ({outcome}) => outcome),
  };
}

/** @param {readonly Message[]} messages */
function receivedOf(messages) {
  return new Set(messages.flatMap(({isReceived}, sequence) => (isReceived ? [sequence] : [])));
}

const open = {settledMs: null, outcome: outcomes.open};
const taken = {settledMs: 5, outcome: outcomes.taken};
const refused = {settledMs: 5, outcome: outcomes.refused};

test('each message is counted by what its sender and its receiver know of it', () => {
  const messages = [
    {sentMs: 1, ...taken, isReceived: true},
    {sentMs: 2, ...taken, isReceived: false},
    {sentMs: 3, ...open, isReceived: true},
    {sentMs: 4, ...open, isReceived: false},
    {sentMs: 4, ...refused, isReceived: false},
  ];
  assert.deepEqual(accountOf(logOf(messages), receivedOf(messages)), {
    sent: 5,
    confirmed: 2,
    refused: 1,
    open: 2,
    received: 2,
    lost: 3,
    confirmedLost: 1,
    unconfirmedReceived: 1,
  });
});

test('a reply shows that its request was received', () => {
  const messages = [
    {sentMs: 1, ...taken, isReceived: false},
    {sentMs: 2, ...open, isReceived: false},
  ];
  const {received, lost, confirmedLost} = accountOf(logOf(messages), null);
  assert.deepEqual({received, lost, confirmedLost}, {received: 1, lost: 1, confirmedLost: 0});
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
  } = accountOf(logOf(messages), receivedOf(messages), {
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
      const found = accountOf(logOf(settled), isStored ? receivedOf(settled) : null, cut);
      assert.equal(found.sent, found.received + found.lost);
      assert.equal(found.sent, found.confirmed + found.refused + found.open);
      assert.equal(found.received, found.confirmed - found.confirmedLost + found.unconfirmedReceived);
      assert.ok(found.confirmedLost <= found.lost);
      if (cut === undefined) assert.equal(found.sent, messages.length);
    }),
  );
});
