/**
 * Measures a workload in slices, over a transport that answers at the next turn of the event loop. Prints from when to when it measured, in ms
 * since this process began, on stderr: V8 writes on stdout.
 */
import {setTimeout as sleep} from 'node:timers/promises';
import {automaticWarmUp} from '../../../src/measure/warm-up.js';
import {makePayloadRing} from '../../../src/payload/ring.js';
import {measurePipeline} from '../../../src/workloads/pipeline/client.js';
import {measureRoundTrips} from '../../../src/workloads/rtt/client.js';

const [workload] = process.argv.slice(2);
const measure = workload === 'rtt' ? measureRoundTrips : measurePipeline;
const ring = makePayloadRing({payloadBytes: 1024, seed: 1, inFlight: 16});
/** Longer than what the clock of V8's log and that of this process may differ by. */
const pauseMs = 300;

const client = {
  request: (/** @type {Buffer} */ payload) => new Promise((resolve) => setImmediate(resolve, payload)),
  ask: (/** @type {Buffer} */ payload, /** @type {{resolve: (reply: Buffer) => void}} */ waiting) =>
    void setImmediate(() => waiting.resolve(payload)),
};

const span = {fromMs: 0, toMs: 0};
await measure({
  connection: {client: /** @type {any} */ (client), renew: async () => true},
  ...{ring, warmUpRing: ring},
  options: {
    ...{warmUp: automaticWarmUp, samples: null, durationMs: 300, timeoutMs: 10_000, retries: 0},
    ...{answer: 'echo', verify: 1, seed: 1, window: 16},
  },
  signal: new AbortController().signal,
  warmedUp: () => sleep(pauseMs),
  slices: async function* () {
    span.fromMs = performance.now() - pauseMs / 2;
    for (let slice = 0; slice < 10; slice += 1) {
      await sleep(50);
      yield {discardMs: slice === 0 ? 100 : 4, ms: 30, samples: 10, counted() {}};
    }
    span.toMs = performance.now();
  },
  takeStrays: () => 0,
  onMeasured() {},
});
process.stderr.write(JSON.stringify(span));
