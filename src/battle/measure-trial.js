import {setTimeout as sleep} from 'node:timers/promises';
import {sum} from 'simple-statistics';
import {RunError} from '../errors.js';
import {inPhase, named} from '../protocol.js';
import {maxOfKnown, sumOfKnown} from '../stats/numbers.js';
import {transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {anatomyOf, boundOfHops, watchHops} from './breakdown.js';
import {boundBetween, measureClocks, oneWayOf, onOurClock} from './clocks.js';
import {configureRoles} from './configure-roles.js';
import {foreignShareOf, hostLoads, linkUseOf, lostShareOf, retransmitsOf} from './host-loads.js';
import {mergeResults, refuseImpossibleFigures} from './merge-results.js';
import {beginProfiles, endProfiles} from './profiles.js';
import {answersOf} from './roles.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {ProcessTimes} from '../measure/types.js'
 * @import {Marked, Result} from '../messages.js'
 * @import {CpuTimes, MeasuredTrial} from '../results/types.js'
 * @import {RoleClocks, Roles, Seen, Sharing, Span, TrialContext, TrialPlaces, UsedByRoles, Watch} from './types.js'
 */

/**
 * Configures all roles, warms up, measures, and merges the results of the roles.
 * @param {TrialContext} context @param {Roles} roles @param {AbortSignal} signal
 * @returns {Promise<MeasuredTrial>}
 * @throws {RunError} the error that a role reported, how it ended, PB_NEGATIVE_LATENCY or PB_NO_RATE
 */
export async function measureTrial(context, roles, signal) {
  const {clocks, ready} = await prepareTrial(context, roles, signal);
  await beginProfiles(context, roles, signal);
  const watch = await watchHops(context, roles, ready, signal);
  const part = await watched(watch, () => measurePart(context, roles, signal));
  await endProfiles(context, roles, signal);
  return foundBy(context, part, {clocks, clocksAfter: await measureClocks(roles, signal), ready});
}

/**
 * Configures all roles and warms up.
 * @param {TrialContext} context @param {Roles} roles @param {AbortSignal} signal
 */
export async function prepareTrial(context, roles, signal) {
  const clocks = await measureClocks(roles, signal);
  const ready = await configureRoles(context, roles, clocks, signal);
  const typicalMs = await warmUp(context, roles, signal);
  return {clocks, ready, typicalMs};
}

/**
 * @param {TrialContext} context @param {Part & {seen?: Seen | null}} part
 * @param {{clocks: RoleClocks, clocksAfter: RoleClocks, ready: readonly {details: Record<string, unknown>}[]}} roles
 * @returns {MeasuredTrial}
 */
export function foundBy(context, part, {clocks, clocksAfter, ready}) {
  return {
    ...figuresOfTrial(context, part, clocks, clocksAfter),
    ...interferenceOf(context, part),
    ...networkOf(context, part),
    brokerRestarted: part.brokerRestarted,
    details: Object.assign({}, ...ready.map(({details}) => details)),
  };
}

/**
 * @param {Watch | null} watch ends with the measured part, also when that fails
 * @param {() => Promise<Part>} measure
 */
async function watched(watch, measure) {
  const part = await measure().catch(async (error) => {
    await watch?.close();
    throw error;
  });
  return {...part, seen: (await watch?.end()) ?? null};
}

/**
 * How often roles that warm up hear something. Their control channel and their sockets go through the same code of Node.js. If V8 compiled it for
 * sockets alone, it would drop it when the measurement begins, which the control channel says.
 */
const talkEveryMs = 20;

/**
 * Waits until all clients are warm and the servers have received all that was sent.
 * @param {Pick<TrialContext, 'values'>} context @param {Roles} roles @param {AbortSignal} signal
 * @returns the median of the round trips so far, the longest of the clients; null where it is not known
 */
export async function warmUp({values: {timeoutMs}}, {servers, clients}, signal) {
  for (const client of clients) client.send({type: 'start'});
  const talk = setInterval(() => {
    for (const role of [...servers, ...clients]) role.send({type: 'beat'});
  }, talkEveryMs);
  const awaited = {what: 'become warm', ms: ofTrial, signal};
  const warm = await answersOf(clients, inPhase('warm'), awaited).finally(() => clearInterval(talk));
  await untilReceived(servers, {sent: totalSent(warm), timeoutMs, signal});
  return maxOfKnown(warm, 'typicalMs');
}

/**
 * @typedef {object} Part the measured part
 * @property {Span[]} spans one, or one for each slice
 * @property {Result[]} results of each client
 * @property {Marked[]} marks of each server
 * @property {CpuTimes | null} brokerUsage of the broker, or of a server that a person named; null: unknown
 * @property {Sharing} [sharing] where other trials were measured in turn with it
 * @property {boolean | null} brokerRestarted since the battle began; null: unknown, or there is no broker
 */

/**
 * The clients begin together. The usage of servers and broker is read before and after.
 * @param {TrialContext} context @param {Roles} roles @param {AbortSignal} signal @returns {Promise<Part>}
 */
async function measurePart(context, {servers, clients}, signal) {
  const {broker, values} = context;
  const {timeoutMs} = values;
  const outside = outsideOf(context);
  await marksOf(servers, signal);
  const brokerBefore = (await outside?.readTimes()) ?? null;
  for (const client of clients) client.send({type: 'go'});
  const begun = await answersOf(clients, inPhase('measuring'), {what: 'begin to measure', signal});
  const measured = await answersOf(clients, inPhase('measured'), {
    what: 'end its measurement',
    ms: ofTrial,
    signal,
  });
  await untilReceived(servers, {sent: totalSent(measured), timeoutMs, signal});
  const brokerAfter = (await outside?.readTimes()) ?? null;
  const marks = await marksOf(servers, signal);
  const results = await answersOf(clients, named('result'), {what: 'send its result', signal});
  const brokerUsage = cpuBetween(brokerAfter, brokerBefore);
  const spans = [{from: begun.map(momentOf), to: measured.map(momentOf)}];
  return {spans, results, marks, brokerUsage, brokerRestarted: isRestarted(broker, brokerAfter)};
}

/** @param {{atMs: number}} event */
function momentOf({atMs}) {
  return atMs;
}

const countEveryMs = 20;
/** What a role does for as long as it takes has the bound of its trial. */
export const ofTrial = Number.POSITIVE_INFINITY;

/**
 * The servers of a one-way workload go on counting after the clients have sent all. If nothing arrives for the timeout, the rest is lost.
 * @param {RoleProcess<'server'>[]} servers
 * @param {{sent: number, timeoutMs: number, signal: AbortSignal}} awaited sent: 0 where the clients themselves see what comes back
 */
async function untilReceived(servers, {sent, timeoutMs, signal}) {
  if (sent === 0) return;
  let received = -1;
  let since = performance.now();
  while (performance.now() - since < timeoutMs) {
    for (const server of servers) server.send({type: 'count'});
    const counts = await answersOf(servers, inPhase('count'), {what: 'say how much it received', signal});
    const total = counts.reduce((sum, count) => sum + count.received, 0);
    if (total >= sent) return;
    if (total > received) since = performance.now();
    received = total;
    await sleep(countEveryMs, undefined, {signal});
  }
}

/** @param {readonly {sent: number}[]} list */
function totalSent(list) {
  return list.reduce((total, {sent}) => total + sent, 0);
}

/**
 * What takes part without being a role: the broker, or a server that a person named.
 * @param {Pick<TrialContext, 'broker' | 'given'>} context
 */
export function outsideOf({broker, given = null}) {
  return broker ?? given;
}

/** What servers did since the mark before. @param {RoleProcess<'server'>[]} servers @param {AbortSignal} signal */
export function marksOf(servers, signal) {
  for (const server of servers) server.send({type: 'mark'});
  return answersOf(servers, inPhase('mark'), {what: 'say what it served', signal});
}

/**
 * Whether the broker is another one than when the battle began.
 * @param {Broker | null} broker @param {ProcessTimes | null} after @returns {boolean | null}
 */
export function isRestarted(broker, after) {
  if (broker?.isReplacement) return true;
  return broker && broker.instance !== null ? broker.instance !== after?.instance : null;
}

/** @param {ProcessTimes | null} after @param {ProcessTimes | null} before @returns {CpuTimes | null} */
export function cpuBetween(after, before) {
  if (!after || !before || after.instance !== before.instance) return null;
  return {
    userMs: after.userMs - before.userMs,
    systemMs: after.systemMs - before.systemMs,
    maxRssBytes: after.maxRssBytes,
  };
}

/**
 * @param {TrialContext} context @param {Part & {seen?: Seen | null}} part @param {RoleClocks} clocks
 * @param {RoleClocks} clocksAfter
 */
function figuresOfTrial(
  {cell, given = null},
  {spans, results, marks, brokerUsage, seen = null},
  clocks,
  clocksAfter,
) {
  const clockBoundMs = boundBetween(clocks, clocksAfter);
  const hopBoundMs = seen ? boundOfHops(seen, clocks, clocksAfter) : 0;
  const ourMoments = (/** @type {readonly number[]} */ moments) =>
    moments.map((ms, client) => ms - clocks.clients[client].offsetMs);
  const begins = spans.map(({from}) => ourMoments(from));
  const ends = spans.map(({to}) => ourMoments(to));
  const wallMs = sum(ends.map((end, span) => Math.max(...end) - Math.min(...begins[span])));
  const skews = begins.map((begin) => Math.max(...begin) - Math.min(...begin));
  const startSkewMs = results.length > 1 ? Math.max(...skews) : null;
  const oneWay = oneWayOf(marks, clockBoundMs);
  const {clientUsage, serverUsage, ...merged} = mergeResults({
    workload: workloads[cell.workload],
    results,
    marks: marks.map((mark, server) => onOurClock(mark, clocks.servers[server].offsetMs)),
    begins: begins[0],
    wallMs,
  });
  const {messagesPerSecond, summedPerSecond, figureMs} = merged;
  if (
    !(
      messagesPerSecond > 0 &&
      summedPerSecond > 0 &&
      [messagesPerSecond, summedPerSecond, figureMs].every(Number.isFinite)
    )
  )
    throw new RunError(
      'Too few messages arrived to compute a rate. Use a longer --duration or a higher --rate.',
      {code: 'PB_NO_RATE'},
    );
  refuseImpossibleFigures(merged, results);
  return {
    ...merged,
    startSkewMs,
    oneWay,
    anatomy: anatomyOf(results, marks, clocks, Math.max(clockBoundMs, hopBoundMs), seen),
    usage: given
      ? {client: clientUsage, server: brokerUsage && ofOtherProcess(brokerUsage, wallMs), broker: null}
      : {
          client: clientUsage,
          server: transportNamed(cell.transport).answersInClient ? null : serverUsage,
          broker: brokerUsage,
        },
  };
}

/** As a role has it; its event loop, if it has one, is at least as busy as its CPU. @param {CpuTimes} used @param {number} wallMs */
function ofOtherProcess(used, wallMs) {
  return {...used, wallMs, eventLoopShare: Math.min(1, (used.userMs + used.systemMs) / wallMs)};
}

/**
 * @param {Pick<Broker, 'hosts'> | null} broker or a server that a person named
 * @param {Pick<Part, 'results' | 'marks' | 'brokerUsage'>} part @returns {UsedByRoles}
 */
export function usedBy(broker, {results, marks, brokerUsage}) {
  return {
    clients: results.map(({usage}) => usage),
    servers: marks.map(({usage}) => usage),
    broker: broker && {usage: brokerUsage, hosts: broker.hosts},
  };
}

/** @param {TrialContext} context @param {Part} part */
function interferenceOf(context, {results, marks, brokerUsage, sharing}) {
  const {hosts} = context;
  const used = usedBy(outsideOf(context), {results, marks, brokerUsage});
  const loads = hostLoads(hosts, used, sharing);
  return {
    hostLoads: loads,
    lostShare: lostShareOf(loads, hosts, used, sharing, placesOf(context, used)),
    foreignShare: foreignShareOf(loads, hosts, used),
  };
}

/** @param {TrialContext} context @param {UsedByRoles} used @returns {TrialPlaces} */
function placesOf({broker, hosts: {placement}}, {clients, servers}) {
  return {
    ...placement.placeRoles({clients: clients.length, servers: servers.length}),
    // Only a private one is placed.
    brokerCores: (host) => (broker?.hosts?.includes(host) ? placement.brokerCores(host) : null),
  };
}

/** @param {TrialContext} context @param {Part} part */
function networkOf({cell: {variant, workload}, broker, hosts}, {results, marks}) {
  const used = {clients: results.map(({usage}) => usage), servers: marks.map(({usage}) => usage)};
  const isOneAtATime = (variant.clients ?? 1) * workloads[workload].concurrency(variant) === 1;
  return {
    tcpRetransmits: retransmitsOf(hosts, used),
    retransmissions: sumOfKnown([...results, ...marks], 'retransmissions'),
    linkBytesPerSecond: linkUseOf(hosts, used, {isOneAtATime, brokerHosts: broker?.hosts ?? null}),
  };
}
