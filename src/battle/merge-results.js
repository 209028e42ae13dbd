import {RunError} from '../errors.js';
import {sumCounts} from '../measure/counts.js';
import {mergeWindows} from '../measure/recorder.js';
import {Histogram, mistakeInEncoded} from '../stats/histogram.js';
import {maxOfKnown, sumOfKnown} from '../stats/numbers.js';
import {rateOfAll} from '../workloads/schedule.js';

/**
 * @import {Counts, Timed, Usage} from '../measure/types.js'
 * @import {Marked, Report, Result, Scheduled} from '../messages.js'
 * @import {Latency, RoleUsage} from '../results/types.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 */

/**
 * What the clients of a trial measured and its servers counted, as one: histograms merged, counts and CPU summed.
 * @param {object} trial @param {{figure: 'latency' | 'rate'}} trial.workload
 * @param {readonly Result[]} trial.results of the clients
 * @param {readonly Marked[]} trial.marks of the servers
 * @param {readonly number[]} [trial.begins] when each client began, in ms by one clock
 * @param {number} trial.wallMs from the first client's begin to the last one's end
 */
export function mergeResults({workload, results, marks, begins = [], wallMs}) {
  const reports = marks.flatMap(({report}) => report ?? []);
  const isCountedByServers = reports.length > 0;
  const latency = mergeEncoded(
    isCountedByServers ? reports.map(({response}) => response) : results.map(({encoded}) => encoded),
  );
  const schedules = results.flatMap(({schedule}, client) =>
    schedule ? movedBy(begins[client] ?? 0, schedule) : [],
  );
  const isPaced = schedules.length === results.length;
  const rates = isCountedByServers
    ? ratesOfServers(reports, isPaced ? schedules : null)
    : ratesOfClients(results, isPaced ? null : wallMs);
  return {
    ...(latency ?? noLatency),
    figureMs: workload.figure === 'latency' && latency ? latency.meanMs : 1000 / rates.messagesPerSecond,
    ...rates,
    wallMs,
    beside: mergeDistributions(results, reports),
    phases: mergeNamed(
      results.map(({phases}) => phases),
      (parts) => ({
        messages: sumOf(parts, 'messages'),
        // Clients that send at a rate do not end at the same time.
        ms: isPaced ? sumOf(parts, 'ms') / parts.length : Math.max(...parts.map(({ms}) => ms)),
      }),
    ),
    counts: isCountedByServers ? countsOfServers(results, reports) : countsOfClients(results),
    mismatch: [...results, ...reports].find(({mismatch}) => mismatch !== null)?.mismatch ?? null,
    notes: {
      ...mergeNamed(
        results.map(({notes}) => notes),
        (values) => values.reduce((total, value) => total + value, 0),
      ),
      ...(isPaced && {askedPerSecond: rateOfAll(schedules)}),
    },
    discarded: sumOf(results, 'discarded'),
    windows: isCountedByServers
      ? null
      : mergeWindows(results.map(({windows, rtt}) => ({windows, samples: rtt?.samples ?? 0}))),
    clientUsage: mergeUsages(results.map(({usage}) => usage)),
    serverUsage: marks.length > 0 ? mergeUsages(marks.map(({usage}) => usage)) : null,
    served: sumOf(marks, 'served'),
  };
}

/** @param {number} ms @param {Scheduled} schedule @returns {Scheduled} */
function movedBy(ms, {firstMs, lastMs, ...rest}) {
  return {...rest, firstMs: firstMs + ms, lastMs: lastMs + ms};
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
 * The rate by the wall clock: one client's own time, or from the first begin to the last end of several; and the sum of what each had. Clients
 * that send at a rate do not end at the same time, so all have the mean of their times.
 * @param {readonly Result[]} results
 * @param {number | null} wallMs null: they send at a rate
 */
function ratesOfClients(results, wallMs) {
  const parts = results.flatMap(({timed}) => timed ?? []);
  const summedPerSecond = parts.reduce((total, part) => total + rateOfAll([part]), 0);
  if (results.length === 1) return {messagesPerSecond: summedPerSecond, summedPerSecond};
  const messagesPerSecond = wallMs === null ? rateOfAll(parts) : (sumOf(parts, 'messages') * 1000) / wallMs;
  return {messagesPerSecond, summedPerSecond};
}

/**
 * A server's time goes from its first message to its last, so the first one does not count. A server with one message has no rate of its own.
 * @param {readonly Report[]} reports
 * @param {readonly Scheduled[] | null} schedules of the clients, if they send at a rate
 */
function ratesOfServers(reports, schedules) {
  const messagesPerSecond = schedules ? pacedRate(reports, schedules) : rateFromFirstToLast(reports);
  const several = reports.filter(({distinct}) => distinct > 1);
  if (schedules || several.length === 0) return {messagesPerSecond, summedPerSecond: messagesPerSecond};
  const summedPerSecond = several.reduce((total, report) => total + rateFromFirstToLast([report]), 0);
  return {messagesPerSecond, summedPerSecond};
}

/** @param {readonly Report[]} reports @returns {number} no finite one if they have less than two messages */
function rateFromFirstToLast(reports) {
  return ((sumOf(reports, 'distinct') - 1) * 1000) / spanOf(reports);
}

/**
 * The rate of the schedules, less what was lost and what came later than a next message would have. From the first message of all clients to
 * the last one it would be another one: clients that send a number of messages each do not end at the same time.
 * @param {readonly Report[]} reports @param {readonly Scheduled[]} schedules
 */
function pacedRate(reports, schedules) {
  const asked = rateOfAll(schedules);
  const messages = sumOf(schedules, 'messages');
  const distance = 1000 / asked;
  const lateMs = Math.max(0, spanOf(reports) - spanOf(schedules) - distance);
  const deliveredShare = sumOf(reports, 'distinct') / messages;
  const onTimeShare = (messages * distance) / (messages * distance + lateMs);
  return asked * deliveredShare * onTimeShare;
}

/** @param {readonly {messages: number, firstMs: number, lastMs: number}[]} parts @returns {number} ms from the first message to the last */
function spanOf(parts) {
  const some = parts.filter(({messages}) => messages > 0);
  return Math.max(...some.map(({lastMs}) => lastMs)) - Math.min(...some.map(({firstMs}) => firstMs));
}

/**
 * Only what the servers counted is called received.
 * @param {readonly Result[]} results @param {readonly Report[]} reports @returns {Counts}
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
 * @param {readonly Usage[]} usages @returns {RoleUsage}
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
 * @param {readonly Record<string, Part>[]} records @param {(parts: Part[]) => Merged} merge
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
 * @param {readonly Record<Name, number>[]} list @param {Name} name
 */
function sumOf(list, name) {
  return list.reduce((total, one) => total + one[name], 0);
}

/**
 * Refuses figures that nobody could read again, before they are stored: the reader of the journal would skip them.
 * @param {{counts: Counts, phases: Record<string, Timed>, wallMs: number}} trial
 * @param {readonly Pick<Result, 'encoded' | 'windows'>[]} results of the clients
 * @throws {RunError} PB_RUN, with the field
 */
export function refuseImpossibleFigures({counts, phases, wallMs}, results) {
  const mistakes = [
    ...results.flatMap(({encoded, windows}) => [
      encoded && mistakeInEncoded(encoded),
      mistakeInWindows(windows ?? []),
    ]),
    ...Object.entries(counts).map(([name, count]) => mistakeInCount(`counts.${name}`, count)),
    ...Object.entries(phases).flatMap(([name, {messages, ms}]) => [
      mistakeInCount(`phases.${name}.messages`, messages),
      ms > 0 && Number.isFinite(ms) ? null : `phases.${name}.ms: it is ${ms}`,
    ]),
    wallMs >= 0 && Number.isFinite(wallMs) ? null : `wallMs: it is ${wallMs}`,
  ];
  const mistake = mistakes.find((one) => one !== null);
  if (mistake) throw new RunError(`The roles measured what cannot be true: ${mistake}.`);
}

/** @param {string} name @param {number} count */
function mistakeInCount(name, count) {
  return Number.isSafeInteger(count) && count >= 0 ? null : `${name}: it is ${count}`;
}

/** @param {readonly number[]} windows */
function mistakeInWindows(windows) {
  const wrong = windows.find((mean) => !(Number.isFinite(mean) && mean >= 0));
  return wrong === undefined ? null : `windows: one is ${wrong}`;
}
