import {Histogram} from '../stats/histogram.js';

/**
 * @import {Usage} from '../measure/usage.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {Counts, Workload} from '../workloads/index.js'
 */

/**
 * What the clients of a trial found and its servers counted, as one: histograms merged, counts and CPU summed.
 *
 * @param {{workload: Workload, results: readonly Record<string, any>[],
 *   marks: readonly Record<string, any>[], wallMs: number}} trial results: of the clients; marks: of the servers; wallMs: from the first
 *   client's begin to the last one's end
 */
export function mergeResults({workload, results, marks, wallMs}) {
  const received = marks.map(({report}) => report).filter(({messages}) => messages !== undefined);
  const isCountedByReceiver = received.length > 0;
  const beside = isCountedByReceiver
    ? [...results.map(({encodedBeside}) => encodedBeside), ...received.map(({service}) => ({service}))]
    : results.map(({encodedBeside}) => encodedBeside);
  const latency = mergeEncoded(
    isCountedByReceiver ? received.map(({response}) => response) : results.map(({encoded}) => encoded),
  );
  const rates = isCountedByReceiver ? ratesOfReceivers(received) : ratesOfClients(results, wallMs);
  return {
    ...(latency ?? noLatency),
    figureMs: workload.figure === 'latency' && latency ? latency.meanMs : 1000 / rates.messagesPerSecond,
    ...rates,
    wallMs,
    beside: /** @type {Record<string, EncodedHistogram>} */ (mergeNamed(beside, mergeEncoded)),
    phases: mergeNamed(
      results.map(({phases}) => phases),
      (parts) => ({messages: sumOf(parts, 'messages'), ms: Math.max(...parts.map(({ms}) => ms))}),
    ),
    counts: isCountedByReceiver ? countsOfReceivers(results, received) : countsOfClients(results),
    mismatch: [...results, ...received].find(({mismatch}) => mismatch)?.mismatch ?? null,
    notes: sumAll(results.map(({notes}) => notes)),
    discarded: sumOf(results, 'discarded'),
    warm: results.every(({warm}) => warm),
    clientUsage: mergeUsages(results.map(({usage}) => usage)),
    serverUsage: marks.length > 0 ? mergeUsages(marks.map(({usage}) => usage)) : null,
    served: sumOf(marks, 'served'),
    negative: sumOf(received, 'negative'),
  };
}

/**
 * A trial of a workload in which nothing comes back.
 * @type {{[Field in keyof EncodedHistogram]: EncodedHistogram[Field] | null} &
 *   {samples: number}}
 */
const noLatency = {samples: 0, meanMs: null, minMs: null, maxMs: null, stdevMs: null, histogram: null};

/**
 * @param {readonly (EncodedHistogram | null)[]} encoded
 * @returns {EncodedHistogram | null} null when there are none
 */
function mergeEncoded(encoded) {
  const some = encoded.filter((one) => one != null);
  if (some.length <= 1) return some[0] ?? null;
  return Histogram.decodeAll(some).encode();
}

/**
 * The rate by the wall clock: one client's own time, or from the first begin to the last end of several; and the sum of what each had.
 * @param {readonly Record<string, any>[]} results
 * @param {number} wallMs
 */
function ratesOfClients(results, wallMs) {
  const summedPerSecond = results.reduce((total, {timed}) => total + (timed.messages * 1000) / timed.ms, 0);
  const messages = results.reduce((total, {timed}) => total + timed.messages, 0);
  const messagesPerSecond = results.length === 1 ? summedPerSecond : (messages * 1000) / wallMs;
  return {messagesPerSecond, summedPerSecond};
}

/**
 * A receiver's time goes from its first message to its last, so that the first one does not count.
 * @param {readonly Record<string, any>[]} received
 */
function ratesOfReceivers(received) {
  const some = received.filter(({messages}) => messages > 1);
  const firstMs = Math.min(...some.map((one) => one.firstMs));
  const lastMs = Math.max(...some.map((one) => one.lastMs));
  const messages = some.reduce((total, one) => total + one.distinct, 0);
  return {
    messagesPerSecond: ((messages - 1) * 1000) / (lastMs - firstMs),
    summedPerSecond: some.reduce(
      (total, one) => total + ((one.distinct - 1) * 1000) / (one.lastMs - one.firstMs),
      0,
    ),
  };
}

/**
 * Nothing is called received that the receivers did not count.
 * @param {readonly Record<string, any>[]} results
 * @param {readonly Record<string, any>[]} received
 */
function countsOfReceivers(results, received) {
  const counts = countsOfClients(results);
  const distinct = sumOf(received, 'distinct');
  return {
    ...counts,
    received: distinct,
    lost: counts.sent - distinct,
    verified: sumOf(received, 'verified'),
    duplicated: sumOf(received, 'duplicated'),
    reordered: sumOf(received, 'reordered'),
    corrupted: sumOf(received, 'corrupted'),
  };
}

/** @param {readonly Record<string, any>[]} results @returns {Counts} */
function countsOfClients(results) {
  return /** @type {Counts} */ (sumAll(results.map(({counts}) => counts)));
}

/** What the hosts did is told apart, host by host. @param {readonly Usage[]} usages */
function mergeUsages(usages) {
  return {
    wallMs: Math.max(...usages.map(({wallMs}) => wallMs)),
    userMs: sumOf(usages, 'userMs'),
    systemMs: sumOf(usages, 'systemMs'),
    maxRssBytes: Math.max(...usages.map(({maxRssBytes}) => maxRssBytes)),
    eventLoopShare: Math.max(...usages.map(({eventLoopShare}) => eventLoopShare)),
  };
}

/**
 * @template Part, Merged
 * @param {readonly Record<string, Part>[]} records
 * @param {(parts: Part[]) => Merged} merge
 * @returns {Record<string, Merged>} what all of them have under each name, merged
 */
function mergeNamed(records, merge) {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries(
    [...names]
      .map((name) => [name, records.map((record) => record[name]).filter((part) => part != null)])
      .filter(([, parts]) => parts.length > 0)
      .map(([name, parts]) => [name, merge(/** @type {Part[]} */ (parts))]),
  );
}

/** @param {readonly Record<string, number>[]} records @returns {Record<string, number>} */
function sumAll(records) {
  return mergeNamed(records, (values) => values.reduce((total, value) => total + value, 0));
}

/** @param {readonly any[]} list @param {string} name */
function sumOf(list, name) {
  return list.reduce((total, one) => total + one[name], 0);
}
