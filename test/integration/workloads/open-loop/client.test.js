import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {setTimeout as sleep} from 'node:timers/promises';
import {makePayloadRing} from '../../../../src/payload/ring.js';
import {measureResponseTimes} from '../../../../src/workloads/open-loop/client.js';

/**
 * @import {WarmUp} from '../../../../src/measure/types.js'
 * @import {Waiting} from '../../../../src/transports/transport.js'
 */

/** @param {WarmUp} warmUp @param {Record<string, any>} [settings] */
async function measure(warmUp, settings = {}) {
  const sent = {warmUp: 0, measured: 0};
  /** @type {'warmUp' | 'measured'} */
  let phase = 'warmUp';
  let inFlight = 0;
  /** As many as were in flight at once. */
  let connections = 0;
  let openedBefore = 0;
  const request = async (/** @type {Buffer} */ payload) => {
    sent[phase] += 1;
    inFlight += 1;
    connections = Math.max(connections, inFlight);
    const reply = Buffer.from(payload);
    await sleep(1);
    inFlight -= 1;
    return reply;
  };
  /** @param {Buffer} payload @param {Waiting} waiting */
  const ask = (payload, waiting) => void request(payload).then((reply) => waiting.resolve(reply));
  const client = {ask, connections: () => connections, closed: new Promise(() => {}), close: async () => {}};
  const result = await measureResponseTimes({
    connection: {client: /** @type {any} */ (client), renew: async () => true},
    ring: makePayloadRing({payloadBytes: 64, seed: 1, inFlight: 64}),
    options: {
      ...{warmUp, samples: 40, durationMs: null, timeoutMs: 5000, retries: 0, answer: 'echo', verify: 1},
      window: 64,
      ...{seed: 1, rate: 400, arrivals: 'constant', client: 0, clients: 1, ...settings},
    },
    signal: new AbortController().signal,
    warmedUp: async () => {
      phase = 'measured';
      openedBefore = connections;
    },
    takeStrays: () => 0,
    onMeasured: () => {},
  });
  return {...result, requests: sent, openedBefore, openedWhile: connections - openedBefore};
}

describe('the warm-up of an open loop', () => {
  for (const count of [0, 1, 2, 10, 100]) {
    it(`has ${count} requests where so many are asked for, and none of them counts`, async () => {
      const {warmUp, counts, requests, latency} = await measure({kind: 'count', count});
      assert.deepEqual(requests, {warmUp: count, measured: 40});
      assert.deepEqual([warmUp.discarded, counts.sent, counts.verified, latency?.count], [count, 40, 40, 40]);
    });
  }

  it('opens the connections that the measured part needs, and those that it opens itself are counted', async () => {
    const {openedBefore, openedWhile, notes} = await measure({kind: 'duration', durationMs: 400});
    assert.ok(openedBefore >= 16, String(openedBefore));
    assert.equal(notes.connectionsOpened, openedWhile);
  });

  it('by time discards all that was sent', async () => {
    const {warmUp, requests, timed} = await measure({kind: 'duration', durationMs: 400}, {samples: 1});
    assert.deepEqual([warmUp.discarded, timed?.messages], [requests.warmUp, 1]);
  });
});
