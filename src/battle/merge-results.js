import {sumCounts} from '../measure/counts.js';
import {mergeWindows} from '../measure/sub-windows.js';
import {Histogram} from '../stats/histogram.js';
import {maxOfKnown, sumOfKnown} from '../stats/known.js';

/**
 * @import {Counts} from '../measure/counts.js'
 * @import {Usage} from '../measure/usage.js'
 * @import {Marked, Report, Result} from '../protocol.js'
 * @import {Latency, RoleUsage} from '../results/trial.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/**
 * What the clients of a trial measured and its servers counted, as one: histograms merged, counts and CPU summed.
 *
 * @param {object} trial
 * @param {{figure: 'latency' | 'rate'}} trial.workload
 * @param {readonly Result[]} trial.results of the clients
 * @param {readonly Marked[]} trial.marks of the servers
 * @param {number} trial.wallMs from the first client's begin to the last one's end
 */
export function mergeResults({workload, results, marks, wallMs}) {
  const reports = marks.flatMap(({report}) => report ?? []);
  const isCountedByServers = reports.length > 0;
  const latency = mergeEncoded(
    isCountedByServers ? reports.map(({response}) => response) : results.map(({encoded}) => encoded),
  );
  const rates = isCountedByServers ? ratesOfServers(reports) : ratesOfClients(results, wallMs);
  return {
    ...(latency ?? noLatency),
    figureMs: workload.figure === 'latency' && latency ? latency.meanMs : 1000 / rates.messagesPerSecond,
    ...rates,
    wallMs,
    beside: mergeDistributions(results, reports),
    phases: mergeNamed(
      results.map(({phases}) => phases),
      (parts) => ({messages: sumOf(parts, 'messages'), ms: Math.max(...parts.map(({ms}) => ms))}),
    ),
    counts: isCountedByServers ? countsOfServers(results, reports) : countsOfClients(results),
    mismatch: [...results, ...reports].find(({mismatch}) => mismatch !== null)?.mismatch ?? null,
    notes: mergeNamed(
      results.map(({notes}) => notes),
      (values) => values.reduce((total, value) => total + value, 0),
    ),
    discarded: sumOf(results, 'discarded'),
    windows: isCountedByServers
      ? null
      : mergeWindows(results.map(({windows, rtt}) => ({windows, samples: rtt?.samples ?? 0}))),
    clientUsage: mergeUsages(results.map(({usage}) => usage)),
    serverUsage: marks.length > 0 ? mergeUsages(marks.map(({usage}) => usage)) : null,
    served: sumOf(marks, 'served'),
  };
}

/** @type {Latency} */
const noLatency = {samples: 0, meanMs: null, minMs: null, maxMs: null, stdevMs: null, histogram: null};

/** @param {readonly Result[]} results @param {readonly Report[]} reports */
function mergeDistributions(results, reports) {
  const ofServers = reports.flatMap(({service}) => (service ? {service} : []));
  return mergeNamed([...results.map(({encodedBeside}) => encodedBeside), ...ofServers], mergeSome);
}

/**
 * @param {readonly (EncodedHistogram | null)[]} encoded
 * @returns {EncodedHistogram | null} null when there are none
 */
function mergeEncoded(encoded) {
  const some = encoded.filter((one) => one !== null);
  return some.length > 0 ? mergeSome(some) : null;
}

/** @param {readonly EncodedHistogram[]} encoded at least one */
function mergeSome(encoded) {
  return encoded.length === 1 ? encoded[0] : Histogram.decodeAll(encoded).encode();
}

/**
 * The rate by the wall clock: one client's own time, or from the first begin to the last end of several; and the sum of what each had.
 * @param {readonly Result[]} results
 * @param {number} wallMs
 */
function ratesOfClients(results, wallMs) {
  const parts = results.flatMap(({timed}) => timed ?? []);
  const summedPerSecond = parts.reduce((total, {messages, ms}) => total + (messages * 1000) / ms, 0);
  const messagesPerSecond =
    results.length === 1 ? summedPerSecond : (sumOf(parts, 'messages') * 1000) / wallMs;
  return {messagesPerSecond, summedPerSecond};
}

/**
 * A server's time goes from its first message to its last, so the first one does not count.
 * @param {readonly Report[]} reports
 */
function ratesOfServers(reports) {
  const some = reports.filter(({messages}) => messages > 1);
  const firstMs = Math.min(...some.map((one) => one.firstMs));
  const lastMs = Math.max(...some.map((one) => one.lastMs));
  return {
    messagesPerSecond: ((sumOf(some, 'distinct') - 1) * 1000) / (lastMs - firstMs),
    summedPerSecond: some.reduce(
      (total, one) => total + ((one.distinct - 1) * 1000) / (one.lastMs - one.firstMs),
      0,
    ),
  };
}

/**
 * Only what the servers counted is called received.
 * @param {readonly Result[]} results
 * @param {readonly Report[]} reports
 * @returns {Counts}
 */
function countsOfServers(results, reports) {
  const counts = countsOfClients(results);
  const received = sumOf(reports, 'distinct');
  return {
    ...counts,
    received,
    lost: counts.sent - received,
    verified: sumOf(reports, 'verified'),
    duplicated: sumOf(reports, 'duplicated'),
    reordered: sumOf(reports, 'reordered'),
    corrupted: sumOf(reports, 'corrupted'),
  };
}

/** @param {readonly Result[]} results */
function countsOfClients(results) {
  return sumCounts(results.map(({counts}) => counts));
}

/**
 * The load of the hosts is kept for each host. A control group and its limit are the same for all processes of a host.
 * @param {readonly Usage[]} usages
 * @returns {RoleUsage}
 */
function mergeUsages(usages) {
  return {
    wallMs: Math.max(...usages.map(({wallMs}) => wallMs)),
    userMs: sumOf(usages, 'userMs'),
    systemMs: sumOf(usages, 'systemMs'),
    maxRssBytes: maxOfKnown(usages, 'maxRssBytes'),
    eventLoopShare: Math.max(...usages.map(({eventLoopShare}) => eventLoopShare)),
    mainThreadMs: sumOfKnown(usages, 'mainThreadMs'),
    runDelayMs: sumOfKnown(usages, 'runDelayMs'),
    wakeUps: sumOfKnown(usages, 'wakeUps'),
    stealMs: sumOfKnown(usages, 'stealMs'),
    throttledMs: maxOfKnown(usages, 'throttledMs'),
    involuntarySwitches: sumOfKnown(usages, 'involuntarySwitches'),
    migrations: sumOfKnown(usages, 'migrations'),
    gcMs: sumOfKnown(usages, 'gcMs'),
    loopDelayMaxMs: maxOfKnown(usages, 'loopDelayMaxMs'),
    checkingMs: usages.reduce((total, {checkingMs = 0}) => total + checkingMs, 0),
  };
}

/**
 * @template Part, Merged
 * @param {readonly Record<string, Part>[]} records
 * @param {(parts: Part[]) => Merged} merge
 * @returns {Record<string, Merged>} what they have under each name, merged
 */
function mergeNamed(records, merge) {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      merge(records.filter((record) => name in record).map((record) => record[name])),
    ]),
  );
}

/**
 * @template {string} Name
 * @param {readonly Record<Name, number>[]} list
 * @param {Name} name
 */
function sumOf(list, name) {
  return list.reduce((total, one) => total + one[name], 0);
}
