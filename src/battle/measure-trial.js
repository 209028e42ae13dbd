import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {Histogram} from '../stats/histogram.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {boundBetween, measureClocks} from './clocks.js';
import {configureRoles} from './configure-roles.js';
import {hostLoads} from './host-loads.js';
import {mergeResults} from './merge-results.js';
import {eachOf, inPhase, named} from './roles.js';

/**
 * @import {Broker} from '../brokers/index.js'
 * @import {EncodedHistogram} from '../stats/histogram.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {Roles} from './roles.js'
 * @import {TrialContext} from './trial.js'
 */

/**
 * The measured part of a trial and what leads to it: all roles are configured, the clients warm up, everybody's use is noted, the clients begin
 * together, and when they are done it is noted again.
 *
 * @param {TrialContext} context
 * @param {Roles} roles
 * @param {AbortSignal} signal
 * @throws {RunError} what a role reported, how it died, or PB_NEGATIVE_LATENCY
 */
export async function measureTrial(context, {servers, clients}, signal) {
  const {cell, broker} = context;
  const {timeoutMs} = context.values;
  const clocksOf = async () => ({
    servers: await measureClocks(servers, signal),
    clients: await measureClocks(clients, signal),
  });
  const clocks = await clocksOf();
  const ready = await configureRoles(context, {servers, clients}, clocks, signal);
  for (const client of clients) client.send({type: 'start'});
  const warm = await eachOf(clients, (client) => client.waitFor(inPhase('warm'), signal));
  await untilReceived(servers, {sent: sumOf(warm, ({sent}) => sent ?? 0), timeoutMs, signal});

  await eachOf(servers, (server) => markOf(server, signal));
  const brokerBefore = (await broker?.readTimes()) ?? null;
  for (const client of clients) client.send({type: 'go'});
  const begun = await eachOf(clients, (client) => client.waitFor(inPhase('measuring'), signal));
  const measured = await eachOf(clients, (client) => client.waitFor(inPhase('measured'), signal));
  await untilReceived(servers, {sent: sumOf(measured, ({sent}) => sent ?? 0), timeoutMs, signal});
  const brokerAfter = (await broker?.readTimes()) ?? null;
  const marks = await eachOf(servers, (server) => markOf(server, signal));

  const results = await eachOf(clients, (client) => client.waitFor(named('result'), signal));
  const onOurClock = (/** @type {Record<string, any>} */ {atMs}, /** @type {number} */ client) =>
    atMs - clocks.clients[client].offsetMs;
  const wallMs = Math.max(...measured.map(onOurClock)) - Math.min(...begun.map(onOurClock));
  const oneWay = oneWayBetween(marks, boundBetween(clocks, await clocksOf()));
  const usesBroker = transportNamed(cell.transport).needsBroker;
  const brokerUsage = usesBroker ? subtract(brokerAfter, brokerBefore) : null;
  const {clientUsage, serverUsage, negative, ...merged} = mergeResults({
    workload: workloads[cell.workload],
    results,
    marks: marks.map((mark, server) =>
      onOneClock(mark, {...clocks.servers[server], isTold: !oneWay?.withheld}),
    ),
    wallMs,
  });
  if (negative > 0) throw negativeLatency(negative);
  if (!(merged.messagesPerSecond > 0 && merged.summedPerSecond > 0 && Number.isFinite(merged.figureMs)))
    throw new RunError(
      'Too few messages came to tell a rate: measure longer (--duration), or at a higher --rate.',
      {
        code: 'PB_NO_RATE',
      },
    );
  return {
    ...merged,
    oneWay,
    usage: {client: clientUsage, server: serverUsage, broker: brokerUsage},
    hostLoads: hostLoads(context.hosts, {
      clients: results.map(({usage}) => usage),
      servers: marks.map(({usage}) => usage),
      broker: usesBroker ? {usage: brokerUsage, isPrivate: broker?.kind === 'private'} : null,
    }),
    details: /** @type {Record<string, unknown>} */ (Object.assign({}, ...ready.map(({details}) => details))),
  };
}

const lookEveryMs = 20;

/**
 * The servers of a one-way workload count on after the clients have sent all; where nothing comes for the timeout, the rest is lost.
 * @param {RoleProcess[]} servers
 * @param {{sent: number, timeoutMs: number, signal: AbortSignal}} awaited sent: 0 for the workloads whose clients know themselves what came
 *   back
 */
async function untilReceived(servers, {sent, timeoutMs, signal}) {
  if (sent === 0) return;
  let received = -1;
  let since = performance.now();
  while (performance.now() - since < timeoutMs) {
    for (const server of servers) server.send({type: 'count'});
    const counts = await eachOf(servers, (server) => server.waitFor(inPhase('count'), signal));
    const total = sumOf(counts, (count) => count.received);
    if (total >= sent) return;
    if (total > received) since = performance.now();
    received = total;
    await sleep(lookEveryMs, undefined, {signal});
  }
}

/**
 * Between hosts a one-way latency that is no longer than the error of their clocks may be is no latency.
 * @param {readonly Record<string, any>[]} marks of the servers
 * @param {number} clockBoundMs 0 on one host
 * @returns {{clockBoundMs: number, withheld: boolean} | null} null where there are no such latencies, or no doubt of them
 */
function oneWayBetween(marks, clockBoundMs) {
  const responses = marks.flatMap(({report}) => report.response ?? []);
  if (responses.length === 0 || clockBoundMs === 0) return null;
  return {clockBoundMs, withheld: responses.some((response) => medianMs(response) <= clockBoundMs)};
}

/**
 * What a receiver counted, by our clock. Latencies that are not told have no sign either.
 * @param {Record<string, any>} mark
 * @param {{offsetMs: number, isTold: boolean}} clock of the server
 * @returns {Record<string, any>}
 */
function onOneClock(mark, {offsetMs, isTold}) {
  const {report} = mark;
  if (report.messages === undefined) return mark;
  const times = {firstMs: report.firstMs - offsetMs, lastMs: report.lastMs - offsetMs};
  const latencies = isTold ? {} : {response: null, service: null, negative: 0};
  return {...mark, report: {...report, ...times, ...latencies}};
}

/** @param {EncodedHistogram} encoded */
function medianMs(encoded) {
  return Histogram.decodeAll([encoded]).hdr.getValueAtPercentile(50) / 1e6;
}

/** @param {number} count */
function negativeLatency(count) {
  return new RunError(
    `${count} messages came before they were sent: the clocks of sender and receiver do not agree, so no latency can be told.`,
    {code: 'PB_NEGATIVE_LATENCY'},
  );
}

/** @param {RoleProcess} server @param {AbortSignal} signal */
function markOf(server, signal) {
  server.send({type: 'mark'});
  return server.waitFor(inPhase('mark'), signal);
}

/**
 * @template One
 * @param {readonly One[]} list
 * @param {(one: One) => number} figureOf
 */
function sumOf(list, figureOf) {
  return list.reduce((total, one) => total + figureOf(one), 0);
}

/**
 * @param {Awaited<ReturnType<Broker['readTimes']>>} after
 * @param {Awaited<ReturnType<Broker['readTimes']>>} before
 */
function subtract(after, before) {
  if (!after || !before) return null;
  return {
    userMs: after.userMs - before.userMs,
    systemMs: after.systemMs - before.systemMs,
    maxRssBytes: after.maxRssBytes,
  };
}
