import {floorTransport} from '../transports/index.js';
import {linkVariant, linkWorkload} from '../workloads/index.js';
import {RolePair} from './role-pair.js';

/**
 * @import {Hosts} from '../hosts/types.js'
 * @import {MeasuredTrial, RoleUsage} from '../results/types.js'
 * @import {BattleValues} from '../settings/index.js'
 * @import {Cell, PairContext} from './types.js'
 */

/** The duration is long enough for TCP to find the rate of the link, and for the initial burst of a rate limiter not to matter. */
const durationMs = 1500;
const warmUp = {kind: /** @type {const} */ ('duration'), durationMs: 500};
const payloadBytes = 65_536;
/** A role that was busier than this was the limit, rather than the link. */
const maxBusyShare = 0.9;
/**
 * If the link carried a smaller share of the payloads, they took another route. The share may be slightly below 1, because a receiver on a busy host
 * also reads bytes that arrived before the measurement.
 */
const minShareOnLink = 0.5;

/**
 * Measures the throughput of the link between the hosts of the first client and the first server: raw TCP, one way, as fast as TCP accepts.
 * @param {Hosts} hosts
 * @param {{values: BattleValues, signal: AbortSignal, makePair?: (context: PairContext) => Pick<RolePair, 'measure' | 'close'>}} battle
 * @returns {Promise<number | null>} bytes per second, with all headers; null within one host, and if the processes were the limit
 */
export async function measureLinkRate(
  hosts,
  {values, signal, makePair = (context) => new RolePair(context)},
) {
  const [client, server] = [hosts.clients[0], hosts.servers[0]];
  if (client === server) return null;
  const some = {...hosts, clients: [client], servers: [server]};
  const pair = makePair({round: 1, hosts: some, broker: null, values, names: {}, signal});
  try {
    const trial = await pair.measure(transfer(values));
    return trial.outcome === 'completed' ? rateOf(trial) : null;
  } finally {
    await pair.close();
  }
}

/** @param {Pick<BattleValues, 'noDelay' | 'keepMemory'>} values @returns {Cell} */
function transfer({noDelay: [noDelay], keepMemory: [keepMemory]}) {
  return {
    number: 0,
    transport: floorTransport.name,
    workload: linkWorkload.name,
    payloadBytes,
    variant: {noDelay, keepMemory, clients: 1, servers: 1, ...linkVariant},
    length: {samples: null, durationMs, warmUp},
    labels: {facilitator: floorTransport.label, qualifier: null, settings: [], persistent: ''},
  };
}

/** @param {Pick<MeasuredTrial, 'usage' | 'messagesPerSecond' | 'linkBytesPerSecond'>} trial */
function rateOf({usage: {client, server}, messagesPerSecond, linkBytesPerSecond = null}) {
  const busiest = Math.max(busyShare(client), server ? busyShare(server) : 0);
  // Two host names may denote the same host. Its loopback interface then carries the messages.
  const isElsewhere =
    linkBytesPerSecond !== null && linkBytesPerSecond < minShareOnLink * messagesPerSecond * payloadBytes;
  return busiest > maxBusyShare || isElsewhere ? null : linkBytesPerSecond;
}

/**
 * Returns the smaller of two shares. An event loop also counts as busy while its process waits for a core, but the CPU time does not grow then.
 * @param {RoleUsage} usage
 */
function busyShare({eventLoopShare, mainThreadMs, userMs, systemMs, wallMs}) {
  return Math.min(eventLoopShare, (mainThreadMs ?? userMs + systemMs) / wallMs);
}
