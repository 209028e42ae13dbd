import {brokerKindNamed} from '../brokers/index.js';
import {PerfBattleError} from '../errors.js';
import {roundRobin} from '../hosts/host.js';
import {LocalHost} from '../hosts/local.js';
import {localPortsOf} from '../hosts/processes.js';
import {inPhase, named} from '../protocol.js';
import {workloads} from '../workloads/index.js';
import {boundBetween, clockOf} from './clocks.js';
import {answerOf} from './roles.js';

/**
 * @import {Broker} from '../brokers/kind.js'
 * @import {Host} from '../hosts/types.js'
 * @import {Moments} from '../measure/types.js'
 * @import {ClientReady, Marked, Result, ServerReady, Sum, WatcherSettings} from '../messages.js'
 * @import {HopMeans, TrialAnatomy} from '../results/types.js'
 * @import {ClockOffset, RoleClocks, Roles, Seen, TrialContext, Watch} from './types.js'
 */

const watcherScript = new URL('../hops/watch-process.js', import.meta.url);

/**
 * Watches when messages pass the broker, for a cell whose round trips are divided into hops.
 * @param {TrialContext} context @param {Roles} roles
 * @param {readonly (ServerReady | ClientReady)[]} ready events of the servers, then of the clients
 * @param {AbortSignal} signal
 * @returns {Promise<Watch | null>} null for a cell without a broker or without a breakdown
 */
export async function watchHops({cell, broker, hosts}, {servers}, ready, signal) {
  if (broker === null || !workloads[cell.workload].hasBreakdown?.(cell.variant)) return null;
  // Messages that are in flight together may share segments.
  if (cell.variant.clients !== 1) return withoutSight('several clients have messages in flight');
  const brokerHosts = hostsOf(broker);
  if (brokerHosts.length === 0)
    return withoutSight('the broker is on another host, where perf-battle did not start it');
  if (brokerHosts.length > 1) return withoutSight('the broker has nodes on several hosts');
  const brokerPorts = [
    ...new Set(broker.connections.flatMap(({port, otherPorts = {}}) => [port, ...Object.values(otherPorts)])),
  ];
  const portsOf = async (/** @type {typeof ready} */ roles, /** @type {readonly Host[]} */ on) => {
    const found = roles.map(({pid}, index) => localPortsOf(roundRobin(on, index), pid, brokerPorts));
    return (await Promise.all(found)).flat();
  };
  const options = {
    brokerKind: broker.kind,
    brokerPorts,
    serverPorts: await portsOf(ready.slice(0, servers.length), hosts.servers),
    clientPorts: await portsOf(ready.slice(servers.length), hosts.clients),
    payloadBytes: cell.payloadBytes,
  };
  const {url} = brokerKindNamed(broker.kind);
  return await startWatcher({host: brokerHosts[0], words: url === undefined ? [] : [url]}, options, signal);
}

/** @param {Broker} broker @returns {Host[]} empty if perf-battle starts no processes on the broker's host */
function hostsOf({hosts, pid}) {
  if (hosts !== null) return [...new Set(hosts)];
  return pid === null ? [] : [new LocalHost()];
}

/**
 * @param {{host: Host, words: readonly string[]}} where @param {WatcherSettings} options
 * @param {AbortSignal} signal @returns {Promise<Watch>}
 */
async function startWatcher({host, words}, options, signal) {
  const watcher = await host.start(watcherScript, 'watcher', {words, cores: null, keepMemory: false});
  const close = () => watcher.stop();
  const passed = async () => {
    const after = await clockOf(watcher, signal);
    watcher.send({type: 'mark'});
    // The watcher reads the whole capture first, which may take any time.
    const awaited = {what: 'say when messages passed the broker', ms: Number.POSITIVE_INFINITY, signal};
    return {after, ...(await answerOf(watcher, inPhase('passed'), awaited))};
  };
  try {
    watcher.send({type: 'configure', options});
    await answerOf(watcher, named('ready'), {what: 'become ready', signal});
    const before = await clockOf(watcher, signal);
    return {
      close,
      async end() {
        const {after, dwellTimes, reason} = await passed().finally(close);
        return dwellTimes
          ? {dwellTimes, clock: {before, after}, reason: null}
          : unseen(reason ?? 'it is not known');
      },
    };
  } catch (error) {
    await close();
    if (signal.aborted || !(error instanceof PerfBattleError)) throw error;
    return withoutSight(error.message);
  }
}

/** @param {string} reason a clause @returns {Watch} */
function withoutSight(reason) {
  return {end: async () => unseen(reason), close: async () => {}};
}

/** @param {string} reason a clause @returns {Seen} */
function unseen(reason) {
  return {dwellTimes: null, clock: null, reason};
}

/**
 * Returns the maximum clock error between the broker's host and any role.
 * @param {Seen} seen
 * @param {RoleClocks} before the trial
 * @param {RoleClocks} after the trial
 * @returns {number} ms; 0 on one host, and if no messages were seen
 */
export function boundOfHops({clock}, before, after) {
  if (clock === null) return 0;
  const roles = (/** @type {RoleClocks} */ {servers, clients}) => [...servers, ...clients];
  return boundBetween(
    {servers: [clock.before], clients: roles(before)},
    {servers: [clock.after], clients: roles(after)},
  );
}

/**
 * Divides each way into three parts. The first part ends when the broker has the whole message, the second when the broker begins to forward it.
 * @param {Seen} seen
 * @param {Moments} sent moments of the clients, by the clock of this host
 * @param {Moments} served moments of the servers, by the clock of this host
 * @returns {{hops: HopMeans | null, noHops: string | null}} noHops: why there are no hops
 */
function hopsOf({dwellTimes, clock, reason}, sent, served) {
  if (dwellTimes === null) return {hops: null, noHops: reason};
  const onOurClock = (/** @type {Sum} */ {messages, atMs}) => ({
    messages,
    atMs: atMs - messages * clock.before.offsetMs,
  });
  const requestIn = onOurClock(dwellTimes.requestIn);
  const requestOut = onOurClock(dwellTimes.requestOut);
  const replyIn = onOurClock(dwellTimes.replyIn);
  const replyOut = onOurClock(dwellTimes.replyOut);
  const {messages} = sent;
  if ([requestIn, requestOut, replyIn, replyOut].some((sum) => sum.messages !== messages))
    return {hops: null, noHops: 'not every message was recognized on the wire'};
  const between = (/** @type {number} */ from, /** @type {number} */ to) => (to - from) / messages;
  return {
    hops: {
      request: {
        beforeMs: between(sent.beginsMs, requestIn.atMs),
        brokerMs: between(requestIn.atMs, requestOut.atMs),
        afterMs: between(requestOut.atMs, served.beginsMs),
      },
      reply: {
        beforeMs: between(served.endsMs, replyIn.atMs),
        brokerMs: between(replyIn.atMs, replyOut.atMs),
        afterMs: between(replyOut.atMs, sent.endsMs),
      },
    },
    noHops: null,
  };
}

/**
 * Divides the mean round trip into the way to the server, the handler, and the way back. Each mean is a difference of sums of points in time,
 * so the three means add up to the mean round trip exactly.
 * @param {readonly Result[]} results of the clients
 * @param {readonly Marked[]} marks of the servers
 * @param {RoleClocks} clocks how far the clocks of the roles are ahead of the clock of this host
 * @param {number} clockBoundMs the maximum clock error between the hosts; 0 on one host
 * @param {Seen | null} seen when the messages passed the broker; null without a broker
 * @returns {TrialAnatomy | null} null if the roles recorded no moments, or if the servers had other messages than the clients, as after a timeout
 */
export function anatomyOf(results, marks, clocks, clockBoundMs, seen) {
  const sent = onOurClock(results, clocks.clients);
  const served = onOurClock(marks, clocks.servers);
  if (sent === null || served === null || sent.messages === 0 || sent.messages !== served.messages)
    return null;
  return {
    requestMs: (served.beginsMs - sent.beginsMs) / sent.messages,
    handlerMs: (served.endsMs - served.beginsMs) / sent.messages,
    replyMs: (sent.endsMs - served.endsMs) / sent.messages,
    clockBoundMs,
    ...(seen && hopsOf(seen, sent, served)),
  };
}

/**
 * @param {readonly {moments?: Moments | null}[]} roles @param {readonly ClockOffset[]} clocks
 * @returns {Moments | null}
 */
function onOurClock(roles, clocks) {
  let [messages, beginsMs, endsMs] = [0, 0, 0];
  for (const [index, {moments = null}] of roles.entries()) {
    if (moments === null) return null;
    const ahead = moments.messages * clocks[index].offsetMs;
    messages += moments.messages;
    beginsMs += moments.beginsMs - ahead;
    endsMs += moments.endsMs - ahead;
  }
  return {messages, beginsMs, endsMs};
}
