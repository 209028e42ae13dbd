import {examine, worstOf} from '../doctor/checks.js';
import {readStandingFacts} from '../doctor/facts.js';
import {readForeignLoad} from '../hosts/foreign-load.js';
import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {Facts} from '../doctor/facts.js'
 * @import {ForeignLoad} from '../hosts/foreign-load.js'
 * @import {Host} from '../hosts/host.js'
 */

/** The load is read for half a second. A shorter battle than this does not wait for that: its verdict comes soon enough. */
const minBattleMs = 10_000;
/** What doctor examines takes some time, too. */
const minExaminedMs = 30_000;

/**
 * Reads how busy the hosts are before a battle starts anything there: a person can then stop it, rather than learn minutes later that the
 * figures are suspect. If roles run on this host, the worst finding of `perf-battle doctor` follows.
 *
 * @param {readonly Host[]} hosts
 * @param {{battleMs: number, kinds: readonly BrokerKind[], readLoad?: (host: Host) => Promise<ForeignLoad | null>, readOwn?: () => Promise<Facts>}} battle battleMs: the
 *   estimated duration; kinds: of brokers that it may start
 * @returns {Promise<{isBusy: boolean, lines: string[]}>} isBusy: others use more than 10 % of a host; lines: for each busy host, and for what is worst
 *   on this host
 */
export async function preflight(
  hosts,
  {battleMs, kinds, readLoad = readForeignLoad, readOwn = readStandingFacts},
) {
  if (battleMs < minBattleMs) return {isBusy: false, lines: []};
  // A connection that ends now fails the battle by itself.
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
