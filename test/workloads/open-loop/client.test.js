import assert from 'node:assert/strict';
import {test} from 'node:test';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {connectionsNeeded, requestAtRate} from '../../../src/workloads/open-loop/client.js';

for (const {load, count, why} of [
  {
    load: {rate: 500, serviceMs: 0.4, limit: 1000},
    count: 16,
    why: '0.2 in flight: what a late sender sends at once',
  },
  {load: {rate: 8000, serviceMs: 2.5, limit: 1000}, count: 40, why: '20 in flight: twice as many'},
  {load: {rate: 8000, serviceMs: 500, limit: 1000}, count: 1000, why: '4000 in flight: the window'},
  {load: {rate: 500, serviceMs: 0.4, limit: 4}, count: 4, why: 'a window smaller than all that'},
])
  test(`an open loop needs ${count} connections for ${why}`, () => {
    assert.equal(connectionsNeeded(load), count);
  });

/**
 * Sends to a server that answers after 5 ms.
 * @param {{window: number, samples: number, failsAt?: number}} load failsAt: number of the request with which the connection is lost
 */
async function overload({window, samples, failsAt = Number.POSITIVE_INFINITY}) {
  let inFlight = 0;
  let most = 0;
  let sent = 0;
  const client = {
    ask(/** @type {Buffer} */ payload, /** @type {any} */ pending) {
      inFlight += 1;
      sent += 1;
      most = Math.max(most, inFlight);
      const reply = Buffer.from(payload);
      if (sent === failsAt) setImmediate(() => pending.reject(new Error('The connection was lost.')));
      if (sent < failsAt)
        setTimeout(() => {
          inFlight -= 1;
          pending.resolve(reply);
        }, 5);
    },
  };
  const options = {timeoutMs: 60_000, retries: 0, answer: 'echo', verify: 1, arrivals: 'constant', window};
  const context = /** @type {any} */ ({
    ...{connection: {client}, options, takeStrays: () => 0, signal: new AbortController().signal},
    ring: makePayloadRing({payloadBytes: 64, seed: 1, inFlight: 16}),
  });
  const load = {...options, rate: 10_000, samples, durationMs: null};
  const {counts} = await requestAtRate(context, /** @type {any} */ (load));
  return {most, counts};
}

for (const window of [1, 4, 16])
  test(`with a window of ${window}, an open loop has at most so many requests in flight`, async () => {
    const {most, counts} = await overload({window, samples: 40});
    assert.equal(most, window);
    assert.deepEqual([counts.sent, counts.received, counts.corrupted], [40, 40, 0]);
  });

test('a message that waits for room fails with the connection', async () => {
  await assert.rejects(overload({window: 1, samples: 40, failsAt: 3}), /The connection was lost/);
});
