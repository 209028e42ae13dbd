import {hostname} from 'node:os';
import {examine, worstOf} from '../doctor/checks.js';
import {readStandingFacts} from '../doctor/facts.js';
import {readForeignLoad} from '../hosts/host-cores.js';
import {isLoopback} from '../measure/network.js';
import {isAskedFor} from '../options/resolve.js';
import {readFingerprint} from '../results/fingerprint.js';
import {publicSettings} from '../settings/describe-settings.js';
import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {keyOfNeed} from '../transports/index.js';
import {readVersions} from './versions.js';

/**
 * @import {BattleContext} from '../battle/types.js'
 * @import {Broker, BrokerKind} from '../brokers/kind.js'
 * @import {Facts} from '../doctor/types.js'
 * @import {ForeignLoad, Host, Hosts} from '../hosts/types.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {BrokerNeed} from '../transports/transport.js'
 */

/** @param {BattleSettings} settings @param {Hosts} hosts @returns {Promise<BattleContext>} the properties that the records of a battle share */
export async function readContext(settings, hosts) {
  const here = await readFingerprint();
  const {values, origins} = settings;
  const fingerprintOf = (/** @type {Host} */ host) => host.report?.fingerprint ?? here;
  const namesOf = (/** @type {readonly Host[]} */ list) =>
    [...new Set(list.map((host) => fingerprintOf(host).hostname))].join(', ');
  const fingerprints = hosts.all.map(fingerprintOf);
  const seen = fingerprints.every(({instance}) => instance !== null) ? 'EC2' : 'cross-host';
  const environment = hosts.isNetworked && !isAskedFor(origins.environment) ? seen : values.environment;
  const client = fingerprintOf(hosts.clients[0]);
  return {
    startedAt: new Date().toISOString(),
    environment,
    machine: values.machine ?? client.instance?.type ?? client.cpu ?? 'unknown CPU',
    hosts: Object.fromEntries(fingerprints.map((one) => [one.hostname, one])),
    roles: {client: namesOf(hosts.clients), server: namesOf(hosts.servers)},
    brokers: {},
    placementNotes: hosts.placement.notes,
    versions: await readVersions(),
    config: {...publicSettings(settings), environment},
  };
}

/** @param {BattleContext} context @param {Broker} broker @param {BrokerNeed} need the need that the broker meets @returns {BattleContext} */
export function withBroker(context, {kind, hosts, connection, versions}, need) {
  const namedOn = isLoopback(connection.hostname) ? hostname() : connection.hostname;
  const startedOn = hosts?.map(({report}) => report?.fingerprint.hostname ?? hostname());
  const host = [...new Set(startedOn ?? [namedOn])].join(', ');
  return {
    ...context,
    brokers: {...context.brokers, [kind]: host},
    versions: {...context.versions, ...versions},
    brokerVersions: {...context.brokerVersions, [keyOfNeed(need)]: versions},
  };
}

/** Reading the load takes half a second. A battle that is shorter than this does not read it, because its verdict comes soon enough. */
const minBattleMs = 10_000;
/** The examination by doctor takes some time, too. */
const minExaminedMs = 30_000;

/**
 * Reads how busy the hosts are before a battle starts processes there. The user can then stop the battle, instead of learning minutes later that the
 * figures are suspect. If roles run on this host, the worst finding of `perf-battle doctor` is added.
 * @param {readonly Host[]} hosts
 * @param {{battleMs: number, kinds: readonly BrokerKind[], readLoad?: (host: Host) => Promise<ForeignLoad | null>, readOwn?: () => Promise<Facts>}} battle
 *   battleMs: the estimated duration; kinds: the kinds of brokers that the battle may start
 * @returns {Promise<{isBusy: boolean, lines: string[]}>} isBusy: whether other programs use more than 10 % of a host; lines: a line for each busy
 *   host, and for the worst finding on this host
 */
export async function preflight(
  hosts,
  {battleMs, kinds, readLoad = readForeignLoad, readOwn = readStandingFacts},
) {
  if (battleMs < minBattleMs) return {isBusy: false, lines: []};
  // A connection that ends now fails the battle later.
  const loads = await Promise.all(hosts.map((host) => readLoad(host).catch(() => null)));
  const busy = loads.flatMap((load) => (load && load.share > thresholds.foreignShare ? describe(load) : []));
  const isExamined = battleMs >= minExaminedMs && hosts.some(({isRemote}) => isRemote === false);
  const worst = isExamined ? worstOf(examine(await readOwn(), kinds)) : null;
  const isBusy = busy.length > 0;
  if (worst === null) return {isBusy, lines: busy};
  const {check, finding, advice} = worst;
  return {isBusy, lines: [...busy, `${check}: ${finding}. ${advice} perf-battle doctor has the rest.`]};
}

/** @param {ForeignLoad} load */
function describe({host, share, stealShare}) {
  const taken = stealShare < 0.005 ? '' : `, ${percent(stealShare, 0)} of it taken by the hypervisor`;
  return `${percent(share, 0)} of the CPU of ${host} is in use by others${taken}. Stop other programs there or use an idle host; otherwise expect suspect figures.`;
}
