/** A client whose transport answers at once: prints its largest resident memory and its mean round trip. */
import {makePayloadRing} from '../src/payload/ring.js';
import {measureRoundTrips} from '../src/workloads/rtt.js';

const client = {
  /** @param {Buffer} payload */
  request: async (payload) => payload,
  closed: new Promise(() => {}),
  close: async () => {},
};

const {histogram} = await measureRoundTrips({
  connection: {client, renew: async () => {}},
  ring: makePayloadRing({payloadBytes: 1024, seed: 1}),
  warmUp: {kind: 'auto', maximumMs: 1000},
  samples: Number(process.argv[2]),
  durationMs: null,
  timeoutMs: 10_000,
  signal: new AbortController().signal,
  onPhase: () => {},
});
console.log(JSON.stringify({residentBytes: process.resourceUsage().maxRSS * 1024, meanNs: histogram.mean}));
