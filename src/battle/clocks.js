import {RunError} from '../errors.js';
import {monotonicMs} from '../measure/clock.js';
import {inPhase} from '../protocol.js';
import {answerOf} from './roles.js';

/**
 * @import {RoleProcess} from '../hosts/role-process.js'
 * @import {LineName, Marked} from '../messages.js'
 * @import {ClockOffset, RoleClocks, Roles} from './types.js'
 */

const pings = 16;

/** The processes of one host share its clock. @type {ClockOffset} */
const same = {offsetMs: 0, boundMs: 0};

/** @param {Roles} roles @param {AbortSignal} signal @returns {Promise<RoleClocks>} */
export async function measureClocks({servers, clients}, signal) {
  /** @type {Map<string | null, Promise<ClockOffset>>} by host */
  const clocks = new Map();
  for (const role of [...servers, ...clients])
    if (!clocks.has(role.hostName)) clocks.set(role.hostName, clockOf(role, signal));
  const offsetsOf = (/** @type {RoleProcess[]} */ roles) =>
    Promise.all(roles.map(async ({hostName}) => (await clocks.get(hostName)) ?? same));
  const [ofServers, ofClients] = await Promise.all([offsetsOf(servers), offsetsOf(clients)]);
  return {servers: ofServers, clients: ofClients};
}

/** @param {RoleProcess<LineName>} role @param {AbortSignal} signal @returns {Promise<ClockOffset>} */
export async function clockOf(role, signal) {
  if (role.hostName === null) return same;
  let best = {offsetMs: 0, boundMs: Number.POSITIVE_INFINITY};
  for (let ping = 0; ping < pings; ping += 1) {
    const before = monotonicMs();
    role.send({type: 'clock'});
    const {atMs} = await answerOf(role, inPhase('clock'), {what: 'say what its clock shows', signal});
    const after = monotonicMs();
    const boundMs = (after - before) / 2;
    if (boundMs < best.boundMs) best = {offsetMs: atMs - (before + after) / 2, boundMs};
  }
  return best;
}

/**
 * Returns the maximum clock error between any client and any server: the error bounds of both, plus their drift during the trial.
 * @param {RoleClocks} before @param {RoleClocks} after
 * @returns {number} ms; 0 on one host
 */
export function boundBetween(before, after) {
  const bounds = before.servers.flatMap((server, serverIndex) =>
    before.clients.map((client, clientIndex) => {
      const later = {server: after.servers[serverIndex], client: after.clients[clientIndex]};
      const drift = later.server.offsetMs - later.client.offsetMs - (server.offsetMs - client.offsetMs);
      return (
        Math.max(server.boundMs, later.server.boundMs) +
        Math.max(client.boundMs, later.client.boundMs) +
        Math.abs(drift)
      );
    }),
  );
  return Math.max(0, ...bounds);
}

/**
 * Converts the times of a server's report to the clock of this host.
 * @param {Marked} mark
 * @param {number} offsetMs how far the server's clock is ahead
 * @returns {Marked}
 */
export function onOurClock(mark, offsetMs) {
  const {report} = mark;
  if (!report) return mark;
  const {firstMs, lastMs} = report;
  return {...mark, report: {...report, firstMs: firstMs - offsetMs, lastMs: lastMs - offsetMs}};
}

/**
 * Returns the maximum clock error of a trial with one-way latencies.
 * @param {readonly Marked[]} marks
 * @param {number} clockBoundMs 0 on one host
 * @returns {{clockBoundMs: number} | null} null without one-way latencies, and on one host
 * @throws {RunError} PB_NEGATIVE_LATENCY when a latency is below zero by more than the bound, which is then wrong
 */
export function oneWayOf(marks, clockBoundMs) {
  const reports = marks.flatMap(({report}) => report ?? []);
  const lowest = Math.min(...reports.map(({lowestMs = null}) => lowestMs ?? Number.POSITIVE_INFINITY));
  if (lowest < -clockBoundMs) throw negativeLatency(lowest, clockBoundMs);
  const areTimed = reports.some(({response}) => response !== null);
  return areTimed && clockBoundMs > 0 ? {clockBoundMs} : null;
}

/** @param {number} lowestMs @param {number} clockBoundMs */
function negativeLatency(lowestMs, clockBoundMs) {
  const bound =
    clockBoundMs === 0 ? 'on one host' : `with clocks at most ${clockBoundMs.toFixed(4)} ms apart`;
  return new RunError(
    `A message arrived ${(-lowestMs).toFixed(4)} ms before it was sent, ${bound}: the clocks of sender and receiver differ, so no latency can be measured.`,
    {code: 'PB_NEGATIVE_LATENCY'},
  );
}
