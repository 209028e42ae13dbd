import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {RunError} from '../../../src/errors.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {measureFanOut} from '../../../src/workloads/fan-out/client.js';
import {makeHub} from '../../../src/workloads/fan-out/server.js';
import {joinedAs, subscriptionTo} from '../../../src/workloads/fan-out/subscription.js';

/**
 * @import {Client, Waiting} from '../../../src/transports/transport.js'
 * @import {Handler} from '../../../src/workloads/workload.js'
 */

/**
 * Clients of one server in this process. change: what becomes of the messages on their way to one subscriber.
 * @param {Handler} hub
 * @param {(chunk: Buffer, subscriber: number) => readonly Buffer[]} [change]
 */
function clientsOf(hub, change = (chunk) => [chunk]) {
  const state = {opened: 0, closed: 0, drained: 0, lose: /** @type {((error: Error) => void)[]} */ ([])};
  /** @returns {Client} */
  const open = () => {
    const number = state.opened;
    state.opened += 1;
    return /** @type {any} */ ({
      ask(/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) {
        const onChunk = (/** @type {Buffer} */ chunk) => setImmediate(() => waiting.onChunk?.(chunk));
        const write = (/** @type {Buffer} */ chunk) => {
          for (const part of change(chunk, number)) onChunk(part);
          return true;
        };
        hub.onRequest(payload, {write, drained: async () => {}, end: () => waiting.resolve(Buffer.alloc(0))});
      },
      send(/** @type {Buffer} */ payload) {
        hub.onRequest(payload, {write: () => true, drained: async () => {}, end() {}});
        return false;
      },
      async drained() {
        state.drained += 1;
      },
      closed: new Promise((_, reject) => state.lose.push(reject)),
      async close() {
        state.closed += 1;
      },
    });
  };
  return {state, open};
}

/** @param {ReturnType<typeof clientsOf>} clients @param {{subscribers: number, samples?: number, timeoutMs?: number, warmUp?: number}} settings */
async function measure({open}, {subscribers, samples = 50, timeoutMs = 1000, warmUp = 5}) {
  const client = open();
  return await measureFanOut({
    connection: {client, renew: async () => true, another: async () => open()},
    ring: makePayloadRing({payloadBytes: 64, seed: 1}),
    options: /** @type {any} */ ({
      ...{warmUp: {kind: 'count', count: warmUp}, samples, durationMs: null, timeoutMs, seed: 1, subscribers},
    }),
    signal: new AbortController().signal,
    warmedUp: async () => {},
    slices: () => null,
    takeStrays: () => 0,
    onMeasured: () => {},
  });
}

describe('the workload fan-out', () => {
  it('has a time for each message when its last subscriber has it, and leaves no connection', async () => {
    const clients = clientsOf(await makeHub());
    const {latency, counts} = await measure(clients, {subscribers: 7});
    assert.equal(latency?.count, 50);
    assert.deepEqual([counts.sent, counts.received, counts.verified, counts.lost], [50, 50, 50, 0]);
    assert.deepEqual([clients.state.opened, clients.state.closed], [8, 7]);
    assert.ok(clients.state.drained > 0);
  });

  it('takes a message in several parts', async () => {
    const halves = (/** @type {Buffer} */ chunk) => [chunk.subarray(0, 10), chunk.subarray(10)];
    const whole = (/** @type {Buffer} */ chunk) => (chunk.length === 64 ? halves(chunk) : [chunk]);
    const {counts} = await measure(clientsOf(await makeHub(), whole), {subscribers: 3});
    assert.equal(counts.verified, 50);
  });

  for (const [what, changed] of /** @type {[string, (chunk: Buffer) => Buffer][]} */ ([
    ['other bytes', (chunk) => Buffer.from(chunk).fill(1, 20, 21)],
    ['more bytes', (chunk) => Buffer.concat([chunk, chunk])],
  ]))
    it(`fails when one subscriber of several gets ${what}`, async () => {
      const change = (/** @type {Buffer} */ chunk, /** @type {number} */ subscriber) =>
        subscriber === 2 && chunk.length === 64 ? [changed(chunk)] : [chunk];
      await assert.rejects(measure(clientsOf(await makeHub(), change), {subscribers: 3}), {
        code: 'PB_WRONG_REPLY',
      });
    });

  it('goes on over new connections when one subscriber gets nothing once', async () => {
    const change = (/** @type {Buffer} */ chunk, /** @type {number} */ subscriber) =>
      subscriber === 3 && chunk.length === 64 ? [] : [chunk];
    const clients = clientsOf(await makeHub(), change);
    const {counts} = await measure(clients, {subscribers: 3, timeoutMs: 250, warmUp: 0});
    assert.deepEqual([counts.sent, counts.received, counts.lost, counts.timedOut], [50, 49, 1, 1]);
    assert.deepEqual([clients.state.opened, clients.state.closed], [7, 6]);
  });

  it('fails when one subscriber never gets anything', async () => {
    const change = (/** @type {Buffer} */ chunk, /** @type {number} */ subscriber) =>
      subscriber % 3 === 0 && chunk.length === 64 ? [] : [chunk];
    const clients = clientsOf(await makeHub(), change);
    await assert.rejects(measure(clients, {subscribers: 3, timeoutMs: 30}), {code: 'PB_NO_REPLY'});
    assert.equal(clients.state.closed, clients.state.opened - 1);
  });

  it('fails when the publisher loses its connection', async () => {
    const lost = new RunError('gone', {code: 'PB_CONNECTION_LOST'});
    let count = 0;
    const clients = clientsOf(await makeHub(), (chunk) => {
      count += 1;
      if (count === 40) clients.state.lose[0](lost);
      return count < 40 ? [chunk] : [];
    });
    await assert.rejects(measure(clients, {subscribers: 3}), lost);
  });

  it('fails when the server ends a subscription', async () => {
    const hub = await makeHub();
    let count = 0;
    const clients = clientsOf(hub, (chunk) => {
      count += 1;
      // Another group takes its place.
      if (count === 40)
        hub.onRequest(subscriptionTo('other'), {write: () => true, drained: async () => {}, end() {}});
      return [chunk];
    });
    await assert.rejects(measure(clients, {subscribers: 3}), {code: 'PB_CONNECTION_LOST'});
  });

  it('fails when a subscriber loses its connection', async () => {
    const lost = new RunError('gone', {code: 'PB_CONNECTION_LOST'});
    let count = 0;
    const clients = clientsOf(await makeHub(), (chunk) => {
      count += 1;
      if (count === 40) clients.state.lose[2](lost);
      return [chunk];
    });
    await assert.rejects(measure(clients, {subscribers: 3}), lost);
  });
});

describe('the server of fan-out', () => {
  it('leaves the subscribers of an earlier measurement', async () => {
    const {onRequest} = await makeHub();
    /** @type {string[]} */
    const seen = [];
    const replyOf = (/** @type {string} */ name) => ({
      write: (/** @type {Buffer} */ chunk) => seen.push(`${name} ${chunk}`) > 0,
      drained: async () => {},
      end: () => void seen.push(`${name} ends`),
    });
    onRequest(subscriptionTo('one'), replyOf('a'));
    onRequest(subscriptionTo('two'), replyOf('b'));
    onRequest(subscriptionTo('two'), replyOf('c'));
    onRequest(Buffer.from('message'), replyOf('publisher'));
    assert.deepEqual(seen, [
      ...['a subscribed', 'a ends', 'b subscribed', 'c subscribed'],
      ...['b message', 'c message', 'publisher ends'],
    ]);
  });

  it('tells a subscription from a message', () => {
    assert.equal(joinedAs(subscriptionTo('a group')), 'a group');
    for (const message of ['', 'p', 'perf-battle: subscribe to', 'x'.repeat(1000)])
      assert.equal(joinedAs(Buffer.from(message)), null, message);
    assert.equal(joinedAs(Buffer.concat([subscriptionTo('g'), Buffer.alloc(1000)])), null);
  });
});
