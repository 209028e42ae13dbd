import assert from 'node:assert/strict';
import {describe, it, test} from 'node:test';
import {setImmediate as soon} from 'node:timers/promises';
import {PendingReplies} from '../../../src/transports/pending-replies.js';
import {SerializedRequests} from '../../../src/transports/serialized-requests.js';
import {measureRecordSets} from '../../../src/workloads/recordset/client.js';
import {makeRequestRing, readRequest, recordSetBytes} from '../../../src/workloads/recordset/request.js';
import {makeRecordSetHandler} from '../../../src/workloads/recordset/server.js';
import {isQuick} from '../../support/effort.js';
import {injectClock} from '../injected-clock.js';

/** @import {Client, OnRequest, Waiting} from '../../../src/transports/transport.js' */

/**
 * Both ends of a connection in one process: messages arrive in order at the next turn of the event loop, and after each the sender is told
 * to wait.
 * @param {OnRequest} onRequest
 * @param {{onWire?: (message: Buffer) => Buffer, deliver?: (request: () => void) => void}} [how] onWire: what arrives in place of a reply;
 *   deliver: called when a request arrives
 */
function connectTo(onRequest, {onWire = (message) => message, deliver = (request) => request()} = {}) {
  const pending = new PendingReplies('lost');
  const requests = new SerializedRequests(
    {
      send(message) {
        const arrived = Buffer.from(onWire(message));
        setImmediate(() => pending.take(arrived));
        return false;
      },
      drained: () => soon(),
      unreadBytes: () => 0,
      pause() {},
      resume() {},
    },
    onRequest,
  );
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => {
    const arrived = Buffer.from(payload);
    setImmediate(() => deliver(() => requests.take(arrived)));
    pending.add(payload, waiting);
  };
  return {ask};
}

/**
 * @param {Pick<Client, 'ask' | 'abandon'>} client
 * @param {Pick<Settings, 'rows' | 'delivery' | 'window'> & Partial<Settings>} settings
 *
 * @typedef {Parameters<typeof measureRecordSets>[0]['options']} Settings
 */
function measure(client, settings) {
  return measureRecordSets({
    connection: {client: /** @type {any} */ (client), renew: async () => true},
    ring: makeRequestRing(settings),
    options: {
      warmUp: {kind: 'count', count: 5},
      samples: 40,
      durationMs: null,
      timeoutMs: 10_000,
      retries: 0,
      seed: 1,
      verify: 10,
      ...settings,
    },
    signal: new AbortController().signal,
    warmedUp: async () => {},
    takeStrays: () => 0,
    onMeasured: () => {},
  });
}

/** Of a reply that has no parts. */
const noParts = {write: () => assert.fail('a part'), drained: async () => assert.fail('a wait')};

for (const delivery of /** @type {const} */ (['streamed', 'preloaded'])) {
  for (const [rows, window] of [
    [8, 1],
    [504, 16],
    ...(isQuick
      ? []
      : [
          [504, 1],
          [2679, 16],
        ]),
  ]) {
    test(`${rows} rows, ${delivery}, window ${window}: all rows of every answer are counted, every tenth is compared`, async () => {
      const {onRequest} = await makeRecordSetHandler({options: {rows, seed: 1}});
      const {counts, notes, latency, timed} = await measure(connectTo(onRequest), {rows, delivery, window});
      assert.deepEqual(
        {...counts},
        {
          sent: 40,
          received: 40,
          verified: 4,
          lost: 0,
          duplicated: 0,
          reordered: 0,
          corrupted: 0,
          retried: 0,
          timedOut: 0,
        },
      );
      assert.deepEqual(notes, {rows: 40 * rows});
      assert.ok(latency && timed);
      assert.deepEqual([latency.count, timed.messages], [40, 40]);
      const summedMs = (latency.mean * 40) / 1e6;
      if (window === 1) assert.ok(Math.abs(timed.ms - summedMs) < 1e-6);
      else assert.ok(timed.ms < summedMs);
    });
  }
}

test('a server that has other rows is found out', async () => {
  const {onRequest} = await makeRecordSetHandler({options: {rows: 8, seed: 2}});
  const settings = {rows: 8, delivery: /** @type {const} */ ('streamed'), window: 1};
  const {counts, mismatch} = await measure(connectTo(onRequest), settings);
  assert.deepEqual([counts.received, counts.verified, counts.corrupted], [40, 0, 4]);
  assert.match(mismatch ?? '', /Row 1 of an answer differs in/);
});

test('a message that is missing within an answer is found out', async () => {
  const rows = isQuick ? 600 : 2679;
  const {onRequest} = await makeRecordSetHandler({options: {rows, seed: 1}});
  let messages = 0;
  const withGaps = (/** @type {Buffer} */ message) => {
    messages += 1;
    return messages % 40 === 2 ? message.subarray(0, -100) : message;
  };
  const settings = {rows, delivery: /** @type {const} */ ('streamed'), window: 4};
  const {counts, mismatch} = await measure(connectTo(onRequest, {onWire: withGaps}), settings);
  assert.ok(counts.corrupted > 0 && counts.corrupted < 40, String(counts.corrupted));
  assert.ok(mismatch);
});

describe('an answer that does not arrive in time', () => {
  // Time passes only when the test says so: on a busy host, other answers would be late too.
  const clock = injectClock();

  it('is lost, and is ignored when it arrives later', async () => {
    const {onRequest} = await makeRecordSetHandler({options: {rows: 504, seed: 1}});
    // A slot whose time is zero has nothing in flight.
    clock.nowMs = 1000;
    const timeoutMs = 400;
    const lateRequest = 12;
    let requests = 0;
    /** Requests that the server has not seen yet. @type {(() => void)[] | null} */
    let delayed = null;
    const deliver = (/** @type {() => void} */ request) => {
      requests += 1;
      if (requests === lateRequest) {
        delayed = [];
        clock.nowMs += timeoutMs;
      }
      if (delayed) delayed.push(request);
      else request();
    };
    const connection = connectTo(onRequest, {deliver});
    /** @type {Set<Waiting>} */
    const given = new Set();
    /** @type {Waiting[]} */
    const abandoned = [];
    const client = {
      ask(/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) {
        given.add(waiting);
        connection.ask(payload, waiting);
      },
      abandon(/** @type {Waiting} */ waiting) {
        abandoned.push(waiting);
        const late = delayed ?? [];
        delayed = null;
        for (const request of late) request();
      },
    };
    const settings = {
      rows: 504,
      delivery: /** @type {const} */ ('streamed'),
      window: 2,
      timeoutMs,
      samples: 60,
    };
    const {counts, notes} = await measure(client, settings);
    assert.ok(counts.lost === 1 || counts.lost === 2, String(counts.lost));
    assert.deepEqual([counts.sent, counts.received, counts.corrupted], [60, 60 - counts.lost, 0]);
    assert.equal(abandoned.length, counts.lost);
    assert.ok(abandoned.every((waiting) => given.has(waiting)));
    assert.equal(notes.rows, 504 * 60, 'the late answers are decoded too');
  });
});

test('a server writes the next chunk when there is room, and each answer ends once', async () => {
  const {onRequest} = await makeRecordSetHandler({options: {rows: 2500, seed: 1}});
  /** @type {string[]} */
  const steps = [];
  /** @type {() => void} */
  let onEnd = () => {};
  const ended = new Promise((resolve) => {
    onEnd = () => resolve(null);
  });
  onRequest(makeRequestRing({rows: 2500, delivery: /** @type {const} */ ('streamed'), window: 1}).next(), {
    write(chunk) {
      steps.push(chunk.length > 0 ? 'write' : 'nothing');
      return steps.filter((step) => step === 'write').length > 2;
    },
    async drained() {
      await soon();
      steps.push('drained');
    },
    end(chunk) {
      steps.push(chunk ? 'whole' : 'end');
      onEnd();
    },
  });
  await ended;
  assert.deepEqual(steps, ['write', 'drained', 'write', 'drained', 'write', 'write', 'write', 'end']);
});

test('what is preloaded is one message', async () => {
  const {onRequest} = await makeRecordSetHandler({options: {rows: 504, seed: 1}});
  /** @type {(Buffer | undefined)[]} */
  const ends = [];
  const reply = {
    ...noParts,
    end: (/** @type {Buffer=} */ chunk) => void ends.push(chunk),
  };
  onRequest(
    makeRequestRing({rows: 504, delivery: /** @type {const} */ ('preloaded'), window: 1}).next(),
    reply,
  );
  assert.deepEqual(
    ends.map((end) => end?.length),
    [recordSetBytes(504)],
  );
});

for (const {title, request} of [
  {title: 'of another length', request: Buffer.alloc(64)},
  {
    title: 'for no rows',
    request: makeRequestRing({rows: 0, delivery: /** @type {const} */ ('streamed'), window: 1}).next(),
  },
  {
    title: 'for more rows than anybody may ask for',
    request: makeRequestRing({
      rows: 1_000_001,
      delivery: /** @type {const} */ ('streamed'),
      window: 1,
    }).next(),
  },
  {title: 'for a delivery that there is not', request: Buffer.alloc(16, 0xff).fill(0, 8, 11)},
]) {
  test(`a request ${title} gets no rows`, async () => {
    assert.equal(readRequest(request), null);
    const {onRequest} = await makeRecordSetHandler({options: {seed: 1}});
    /** @type {(Buffer | undefined)[]} */
    const ends = [];
    onRequest(request, {...noParts, end: (chunk) => void ends.push(chunk)});
    assert.deepEqual(ends, [undefined]);
  });
}

test('a server answers with any number of rows, whichever it has prepared', async () => {
  const {onRequest} = await makeRecordSetHandler({options: {rows: 8, seed: 1}});
  const settings = {rows: 77, delivery: /** @type {const} */ ('preloaded'), window: 3, verify: 1};
  const {counts} = await measure(connectTo(onRequest), settings);
  assert.deepEqual([counts.received, counts.verified], [40, 40]);
});
