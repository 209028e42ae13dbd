/** Runs a client whose transport answers immediately. Prints its maximum resident memory in MiB and its mean round trip. */
import {makePayloadRing} from '../src/payload/ring.js';
import {measurePipeline} from '../src/workloads/pipeline/client.js';
import {measureRoundTrips} from '../src/workloads/rtt/client.js';

/** @import {Client} from '../src/transports/transport.js' */

/** @type {Client} */
const client = {
  request: async (payload) => payload,
  ask: (payload, waiting) => void Promise.resolve(payload).then((reply) => waiting.resolve(reply)),
  closed: new Promise(() => {}),
  close: async () => {},
};

const window = Number(process.argv[3]);
const measure = window === 1 ? measureRoundTrips : measurePipeline;
const {latency} = await measure({
  connection: {client, renew: async () => true},
  ring: makePayloadRing({payloadBytes: 1024, seed: 1, inFlight: window}),
  options: {
    // A warm-up by time would itself take as many samples as the measurement.
    warmUp: window === 1 ? {kind: 'auto', maximumMs: 1000} : {kind: 'count', count: 1000},
    samples: Number(process.argv[2]),
    durationMs: null,
    timeoutMs: 10_000,
    retries: 0,
    window,
    verify: 100,
    answer: 'echo',
    seed: 1,
  },
  signal: new AbortController().signal,
  warmedUp: async () => {},
  takeStrays: () => 0,
  onMeasured: () => {},
});
console.log(JSON.stringify({megabytes: process.resourceUsage().maxRSS / 1024, meanNs: latency?.mean}));
