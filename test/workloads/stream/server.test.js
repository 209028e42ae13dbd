import assert from 'node:assert/strict';
import {test} from 'node:test';
import fc from 'fast-check';
import {monotonicMs} from '../../../src/measure/clock.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {makeClosingCall, stampTimes} from '../../../src/payload/stamp.js';
import {makeStreamHandler} from '../../../src/workloads/stream/server.js';

/** @param {Record<string, any>} [options] */
const receiver = (options = {}) =>
  makeStreamHandler({
    options: {
      payloadBytes: 64,
      payloadFile: null,
      seed: 1,
      verify: 1,
      knownPayload: true,
      rate: null,
      ...options,
    },
  });

const noReply = {write: () => true, drained: async () => {}, end: () => {}};

/**
 * A sender with faults: for each message, what becomes of it.
 * @param {readonly ('good' | 'lost' | 'twice' | 'wrong')[]} fates
 * @param {number} client
 */
function messagesOf(fates, client = 0) {
  const ring = makePayloadRing({payloadBytes: 64, seed: 1, client});
  return fates.flatMap((fate) => {
    const message = Buffer.from(ring.next());
    if (fate === 'wrong') message[30] ^= 1;
    if (fate === 'lost') return [];
    return fate === 'twice' ? [message, message] : [message];
  });
}

const fates = fc.array(fc.constantFrom('good', 'good', 'good', 'lost', 'twice', 'wrong'), {
  minLength: 1,
  maxLength: 300,
});

test('the counts are exact when messages are lost, duplicated or wrong', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (plan) => {
      const handler = await receiver();
      for (const message of messagesOf(/** @type {any} */ (plan))) handler.onRequest(message, noReply);
      const count = (/** @type {string} */ fate) => plan.filter((one) => one === fate).length;
      const {distinct, duplicated, corrupted, verified, reordered} = handler.report?.() ?? {};
      assert.deepEqual(
        {distinct, duplicated, corrupted, reordered},
        {
          distinct: plan.length - count('lost'),
          duplicated: count('twice'),
          corrupted: count('wrong'),
          reordered: 0,
        },
      );
      assert.equal(verified, count('good') + 2 * count('twice'));
    }),
    {numRuns: 50},
  );
});

test('messages of several clients are counted apart', async () => {
  const handler = await receiver();
  const [one, other] = [messagesOf(Array(50).fill('good')), messagesOf(Array(70).fill('good'), 3)];
  for (const [index, message] of other.entries()) {
    handler.onRequest(message, noReply);
    if (one[index]) handler.onRequest(one[index], noReply);
  }
  const {distinct, duplicated, corrupted} = handler.report?.() ?? {};
  assert.deepEqual({distinct, duplicated, corrupted}, {distinct: 120, duplicated: 0, corrupted: 0});
});

test('messages too short for a number are counted', async () => {
  const handler = await receiver({payloadBytes: 8});
  for (let count = 0; count < 9; count += 1) handler.onRequest(Buffer.alloc(8, 7), noReply);
  assert.deepEqual([handler.received?.(), handler.report?.().messages], [9, 9]);
});

test('a message of another length is wrong', async () => {
  const handler = await receiver();
  handler.onRequest(Buffer.alloc(63), noReply);
  assert.equal(handler.report?.().corrupted, 1);
  assert.match(handler.report?.().mismatch ?? '', /63 bytes; 64 were expected/);
});

test('a reset begins anew', async () => {
  const handler = await receiver();
  for (const message of messagesOf(['good', 'lost', 'good'])) handler.onRequest(message, noReply);
  handler.reset?.();
  for (const message of messagesOf(['good', 'good'])) handler.onRequest(message, noReply);
  const {messages, distinct, duplicated} = handler.report?.() ?? {};
  assert.deepEqual({messages, distinct, duplicated}, {messages: 2, distinct: 2, duplicated: 0});
});

test('the closing call is answered and not counted', async () => {
  const handler = await receiver();
  /** @type {(Buffer | undefined)[]} */
  const replies = [];
  handler.onRequest(makeClosingCall(), {...noReply, end: (chunk) => replies.push(chunk)});
  assert.deepEqual([replies.length, replies[0]?.length, handler.received?.()], [1, 16, 0]);
});

test('response and service time count from when a message was to be sent and when it was', async () => {
  const handler = await receiver({rate: 100});
  const ring = makePayloadRing({payloadBytes: 64, seed: 1});
  for (let count = 0; count < 40; count += 1) {
    const message = Buffer.from(ring.next());
    const now = monotonicMs();
    stampTimes(message, now - 500, now - 100);
    handler.onRequest(message, noReply);
  }
  const {response, service, corrupted, lowestMs} = handler.report?.() ?? {};
  assert.equal(corrupted, 0);
  assert.ok(Math.abs((response?.meanMs ?? 0) - 500) < 20);
  assert.ok(Math.abs((service?.meanMs ?? 0) - 100) < 20);
  assert.ok(Math.abs((lowestMs ?? 0) - (service?.minMs ?? 0)) < 1e-6);
});

test('a message that arrives before it was sent is reported with how long before, and never with the absolute value', async () => {
  const handler = await receiver({rate: 100});
  const message = Buffer.from(makePayloadRing({payloadBytes: 64, seed: 1}).next());
  stampTimes(message, monotonicMs() + 1000, monotonicMs() + 1000);
  handler.onRequest(message, noReply);
  const {lowestMs, response} = handler.report?.() ?? {};
  assert.ok((lowestMs ?? 0) < -900 && (lowestMs ?? 0) > -1100, String(lowestMs));
  assert.equal(response?.maxMs, 0);
});
