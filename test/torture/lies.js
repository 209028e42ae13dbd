import {Histogram} from '../../src/stats/histogram.js';

/**
 * What programs claim and cannot be true, for a measured part of 20 requests or messages: the event of the contract that says it, and fields of
 * it. JSON of `1e999` is read as an infinite number; a field that is 'gone' is left out.
 *
 * @typedef {{workload: string, event: 'result' | 'mark' | 'warm', claim: Record<string, unknown>}} Lie
 */

export const samples = 20;

/** @param {number} count @param {unknown} value */
const times = (count, value) => Array.from({length: count}, () => value);

/** What stands in place of the samples. @param {object} changes */
function encoded(changes) {
  const histogram = new Histogram();
  for (let sample = 1; sample <= samples; sample += 1) histogram.add(50_000 + sample);
  return {samplesNs: 'gone', encoded: {...histogram.encode(), ...changes}};
}

const noNumbers = [-1, 0.5, '1e999', '-1e999', '20', null, 1e300];
const noTimes = [-1, 0, '1e999', '-1e999', '5', null, 1e300];

/** @param {Record<string, unknown>} part of the arrived messages */
const arrived = (part) => ({arrived: {messages: samples, sinceFirstMs: 2, sinceLastMs: 1, ...part}});

/** @type {Record<string, Partial<Record<Lie['event'], Record<string, unknown>[]>>>} */
const byWorkload = {
  rtt: {
    result: [
      ...[3.6e12, 1e-300, 0, -1, '1e999', null, '50000'].map((one) => ({samplesNs: times(samples, one)})),
      ...[3.6e12, 1e-300, -1, null].map((one) => ({samplesNs: [...times(samples - 1, 50_000), one]})),
      {samplesNs: times(samples + 5, 50), received: samples + 5, verified: samples + 5},
      {samplesNs: []},
      {samplesNs: 'gone'},
      ...['received', 'verified', 'corrupted', 'timedOut'].flatMap((field) =>
        [...noNumbers, samples + 1, 99_999].map((value) => ({[field]: value})),
      ),
      ...[...noNumbers].map((discarded) => ({discarded})),
      ...[...noTimes, 1e9, 1e-9].map((durationMs) => ({durationMs})),
      ...[
        {meanMs: 0, minMs: 0, maxMs: 0, stdevMs: 0},
        {meanMs: 5000},
        {minMs: 1, maxMs: 0.001},
        {stdevMs: -1},
        {stdevMs: '1e999'},
        {maxMs: '1e999'},
        {minMs: 1e-300},
        {samples: samples - 1},
        {samples: 1e12},
        {samples: 0},
        {histogram: ''},
        {histogram: 'AAAA'},
      ].map(encoded),
      {...encoded({}), windows: times(9, 1)},
      {...encoded({}), windows: times(10, -1)},
    ],
    mark: [...noNumbers, 1e12].map((served) => ({served})),
  },
  stream: {
    result: [
      ...[...noNumbers, 0, samples + 1, 1e12].map((sent) => ({sent})),
      ...[...noTimes, 1e9, 1e-9].map((durationMs) => ({durationMs})),
    ],
    mark: [
      ...[...noNumbers, 0, 1e12].map((messages) => arrived({messages})),
      ...[{duplicated: samples}, {reordered: samples + 1}, {verified: samples + 1}, {corrupted: -1}].map(
        arrived,
      ),
      ...[{sinceLastMs: 3}, {sinceFirstMs: 1e9}, {sinceFirstMs: '1e999'}, {sinceLastMs: -1}].map(arrived),
    ],
  },
  cached: {
    result: [
      ...noTimes.map((one) => ({cache: {hitsNs: times(10, one), missesNs: times(10, 50_000)}})),
      {cache: {hitsNs: times(10, 3.6e12), missesNs: times(10, 50_000)}},
      {cache: {hitsNs: [], missesNs: []}},
      {cache: {hitsNs: times(samples + 5, 1), missesNs: []}},
      {received: samples + 1},
    ],
  },
  recordset: {
    result: [
      ...noNumbers.map((rows) => ({rows})),
      {rows: 1e12},
      {samplesNs: times(samples, 3.6e12)},
      {verified: samples + 1},
    ],
  },
};

/** @type {readonly Lie[]} */
export const lies = Object.entries(byWorkload).flatMap(([workload, byEvent]) =>
  Object.entries(byEvent).flatMap(([event, claims]) =>
    claims.map((claim) => ({workload, event: /** @type {Lie['event']} */ (event), claim})),
  ),
);
