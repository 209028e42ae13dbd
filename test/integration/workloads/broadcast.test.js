import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {decodeLog} from '../../../src/measure/message-log.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {sequenceOf} from '../../../src/payload/stamp.js';
import {broadcastSteadily} from '../../../src/workloads/account/broadcast/role.js';
import {makeHub} from '../../../src/workloads/fan-out/server.js';

/**
 * @import {Broadcast, Client, Waiting} from '../../../src/transports/transport.js'
 * @import {Consumed} from '../../../src/messages.js'
 */

/** @typedef {Pick<Consumed, 'arrived' | 'finished' | 'corrupted' | 'copies'>} Report */

/**
 * Runs a load for some time.
 * @param {() => Client} open @param {{subscribers: number, ms?: number, during?: () => Promise<void>}} how
 */
async function run(open, {subscribers, ms = 200, during = () => sleep(ms)}) {
  /** @type {Report[]} */
  const reports = [];
  const {account, counts, mismatch} = await broadcastSteadily({
    connection: {client: open(), renew: async () => true, another: () => Promise.resolve(open())},
    ring: makePayloadRing({payloadBytes: 64, seed: 1}),
    options: /** @type {any} */ ({
      ...{rate: 500, window: 8, resend: false, timeoutMs: 1000, seed: 1, subscribers, quietMs: 100},
    }),
    signal: new AbortController().signal,
    warmedUp: async () => {},
    // biome-ignore lint/correctness/useYield: a steady load has no slices, and its end is the end of them.
    slices: async function* () {
      await during();
    },
    takeStrays: () => 0,
    onConsumed: (report) => reports.push(report),
    onMeasured: () => {},
  });
  const all = (/** @type {'arrived' | 'finished'} */ key) => reports.flatMap((report) => [...report[key]]);
  assert.deepEqual(all('arrived'), all('finished'));
  assert.ok(account?.log);
  const {messages} = decodeLog(account.log);
  return {messages, finished: all('finished'), last: reports.at(-1), counts, mismatch};
}

/** @param {number} count */
function upTo(count) {
  return Array.from({length: count}, (_, number) => number);
}

/**
 * A broker in this process that delivers what is published.
 * @param {{deliver?: (message: Buffer, subscriber: number) => readonly Buffer[], keeps?: boolean}} [how] deliver: what becomes of a message on its way;
 *   keeps: whether a subscriber that returns gets what it missed
 */
function brokerOf({deliver = (message) => [message], keeps = false} = {}) {
  /** @type {Buffer[]} */
  const log = [];
  /** @type {Map<number, (message: Buffer) => void>} */
  const subscribers = new Map();
  /** @type {((error: Error) => void)[]} */
  const lose = [];
  let opened = 0;
  let awayUntilMs = 0;
  const open = () => {
    const number = opened;
    opened += 1;
    let next = 0;
    /** @type {Broadcast} */
    const broadcast = {
      publish(payload) {
        log.push(Buffer.from(payload));
        for (const [subscriber, take] of subscribers)
          for (const message of deliver(payload, subscriber)) take(message);
      },
      async subscribe(onMessage, after = null) {
        // After a cut, the broker cannot be reached for a while.
        await sleep(Math.max(0, awayUntilMs - performance.now()));
        const missed = keeps && after !== null ? log.slice(Number(after)) : [];
        next = log.length - missed.length;
        const take = (/** @type {Buffer} */ message) => {
          next += 1;
          onMessage(message);
        };
        for (const message of missed) take(message);
        subscribers.set(number, take);
      },
      ...(keeps && {position: () => next}),
    };
    return /** @type {Client} */ (
      /** @type {unknown} */ ({
        broadcast,
        closed: new Promise((_, reject) => {
          lose[number] = reject;
        }),
        async close() {
          subscribers.delete(number);
        },
      })
    );
  };
  const cut = (/** @type {number} */ number) => {
    subscribers.delete(number);
    awayUntilMs = performance.now() + 60;
    lose[number](new Error('cut'));
  };
  return {open, cut, subscribers};
}

/** A hub in this process, and its clients. @param {(chunk: Buffer) => readonly Buffer[]} change what becomes of what the hub sends */
async function hubOf(change) {
  const hub = await makeHub();
  const nothing = {write: () => true, drained: async () => {}, end() {}};
  return () =>
    /** @type {Client} */ (
      /** @type {unknown} */ ({
        ask(/** @type {Buffer} */ payload, /** @type {Waiting} */ {onChunk}) {
          const write = (/** @type {Buffer} */ chunk) => {
            for (const part of change(chunk)) onChunk?.(part);
            return true;
          };
          hub.onRequest(payload, {...nothing, write});
        },
        send(/** @type {Buffer} */ payload) {
          hub.onRequest(payload, nothing);
          return true;
        },
        drained: async () => {},
        flushed: async () => ({confirmed: null}),
        closed: new Promise(() => {}),
        close: async () => {},
      })
    );
}

describe('a steady load of messages to subscribers', () => {
  it('reports each message once, when the last subscriber has it', async () => {
    const broker = brokerOf();
    const {messages, finished, last, counts} = await run(broker.open, {subscribers: 3});
    assert.ok(messages > 20, `${messages} messages`);
    assert.deepEqual(finished, upTo(messages));
    assert.deepEqual([counts.sent, last?.corrupted], [messages, 0]);
    assert.deepEqual(last?.copies, {duplicated: 0, reordered: 0});
    assert.equal(broker.subscribers.size, 0, 'the subscribers have left');
  });

  it('does not report what one of them has not, and counts each second copy', async () => {
    const deliver = (/** @type {Buffer} */ message, /** @type {number} */ subscriber) => {
      if (subscriber !== 2) return [message];
      const sequence = sequenceOf(message);
      return sequence === 3 ? [] : sequence === 5 ? [message, message] : [message];
    };
    const {messages, finished, last} = await run(brokerOf({deliver}).open, {subscribers: 2});
    assert.deepEqual(
      finished,
      upTo(messages).filter((number) => number !== 3),
    );
    assert.deepEqual(last?.copies, {duplicated: 1, reordered: 0});
  });

  it('does not count messages with other bytes, also when none follows that is right, and says which', async () => {
    const deliver = (/** @type {Buffer} */ message) => {
      const changed = Buffer.from(message);
      if (sequenceOf(message) >= 4) changed[40] ^= 1;
      return [changed];
    };
    const {messages, finished, last, mismatch} = await run(brokerOf({deliver}).open, {subscribers: 2});
    assert.deepEqual(finished, [0, 1, 2, 3]);
    assert.equal(last?.corrupted, 2 * (messages - 4));
    assert.match(String(mismatch), /at offset 40/);
  });

  it('loses what is published while a subscriber is away, and goes on with the next', async () => {
    const broker = brokerOf();
    const {messages, finished} = await run(broker.open, {
      subscribers: 2,
      async during() {
        await sleep(100);
        broker.cut(2);
        await sleep(300);
      },
    });
    assert.equal(finished.at(-1), messages - 1);
    assert.ok(finished.length > 20 && finished.length < messages, `${finished.length} of ${messages}`);
    assert.deepEqual(
      finished,
      finished.toSorted((one, other) => one - other),
    );
  });

  it('gets what it missed from a broker that keeps messages', async () => {
    const broker = brokerOf({keeps: true});
    const {messages, finished, last} = await run(broker.open, {
      subscribers: 2,
      async during() {
        await sleep(100);
        broker.cut(1);
        await sleep(200);
        broker.cut(2);
      },
    });
    assert.deepEqual(finished, upTo(messages));
    assert.deepEqual(last?.copies, {duplicated: 0, reordered: 0});
  });

  it('divides the parts of a stream into messages, wherever they are cut', async () => {
    let rest = Buffer.alloc(0);
    const cut = (/** @type {Buffer} */ chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (rest.length < 150)
        return rest.length === chunk.length && chunk.length < 64 ? take(rest.length) : [];
      return [...take(100), ...take(rest.length)];
    };
    const take = (/** @type {number} */ bytes) => {
      const part = rest.subarray(0, bytes);
      rest = rest.subarray(bytes);
      return [part];
    };
    const {messages, finished, counts} = await run(await hubOf(cut), {subscribers: 1});
    assert.ok(finished.length > messages - 4, `${finished.length} of ${messages}`);
    assert.deepEqual([finished, counts.corrupted], [upTo(finished.length), 0]);
  });
});
