import assert from 'node:assert/strict';
import {describe, it} from 'node:test';
import {makePayloadRing} from '../../../../src/payload/ring.js';
import {measureStream} from '../../../../src/workloads/stream/client.js';

/** @import {WarmUp} from '../../../../src/measure/types.js' */

/** @param {WarmUp} warmUp @param {number | null} rate */
async function measure(warmUp, rate) {
  let sent = 0;
  let warmUpMessages = -1;
  let told = -1;
  const client = {
    send() {
      sent += 1;
      return true;
    },
    drained: async () => {},
    flushed: async () => ({confirmed: null}),
    closed: new Promise(() => {}),
  };
  const result = await measureStream({
    connection: {client: /** @type {any} */ (client), renew: async () => true},
    ring: makePayloadRing({payloadBytes: 64, seed: 1, inFlight: 64}),
    options: /** @type {any} */ ({
      ...{warmUp, samples: 40, durationMs: null, timeoutMs: 5000, retries: 0, answer: 'echo', verify: 1},
      ...{seed: 1, rate, arrivals: 'constant', client: 0, clients: 1, closingCall: false},
    }),
    signal: new AbortController().signal,
    warmedUp: async (/** @type {number | undefined} */ messages) => {
      warmUpMessages = sent;
      told = messages ?? -1;
    },
    takeStrays: () => 0,
    onMeasured: () => {},
  });
  return {...result, warmUpMessages, told, measuredMessages: sent - warmUpMessages};
}

for (const rate of [null, 400]) {
  describe(`the warm-up of a stream ${rate === null ? 'without a rate' : 'at a rate'}`, () => {
    for (const count of [0, 1, 2, 10, 1000]) {
      it(`has ${count} messages where so many are asked for, and none of them counts`, async () => {
        const {warmUp, warmUpMessages, told, measuredMessages, counts, beside} = await measure(
          {kind: 'count', count},
          rate,
        );
        assert.deepEqual([warmUpMessages, told, warmUp.discarded], [count, count, count]);
        assert.deepEqual([measuredMessages, counts.sent], [40, 40]);
        assert.equal(beside?.sendLag.count, rate === null ? 0 : 40);
      });
    }

    it('by time discards all that was sent', async () => {
      const begin = performance.now();
      const {warmUp, warmUpMessages, told} = await measure({kind: 'duration', durationMs: 300}, rate);
      assert.ok(performance.now() - begin >= 300);
      assert.deepEqual([warmUp.discarded, told], [warmUpMessages, warmUpMessages]);
    });
  });
}
