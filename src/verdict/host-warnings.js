import {max, median} from 'simple-statistics';
import {thresholds} from '../stats/thresholds.js';
import {percent} from './warning.js';

/**
 * @import {JournalTrial} from '../results/trial.js'
 * @import {WarningDeclaration} from './warning.js'
 */

/** @typedef {JournalTrial['hostLoads'][number]} HostLoad */

/** @type {WarningDeclaration} */
export const cpuSteal = {
  code: 'cpu-steal',
  level: 'suspect',
  condition: `CPU steal took more than ${thresholds.stealShare * 100} % of the host in a trial that counts`,
  advice:
    'Run again when the host is idle, or on a dedicated instance. On t2 instances, check the CPU credits.',
  sentence: ({trials}) => {
    const [host, share] = worstHost(trials, ({stealMs, capacityMs}) => stealMs / capacityMs, max);
    return share > thresholds.stealShare
      ? `The hypervisor took up to ${percent(share)} of the CPU of ${host} from a trial (CPU steal).`
      : null;
  },
};

/** @type {WarningDeclaration} */
export const foreignLoad = {
  code: 'foreign-load',
  level: 'suspect',
  condition: `other processes took more than ${thresholds.foreignShare * 100} % of a role's host (median of the trials)`,
  advice: 'Stop the other programs on this host (top shows them), then run again.',
  sentence: ({trials}) => {
    const [host, share] = worstHost(trials, foreignShare, median);
    return share > thresholds.foreignShare
      ? `Other processes used ${percent(share)} of the CPU of ${host} while it was measured.`
      : null;
  },
};

/** Clock sources that are fast to read, most of them without entering the kernel. */
const fastClocks = ['tsc', 'kvm-clock', 'arch_sys_counter', 'hyperv_clocksource_tsc_page', 'xen'];

/** @type {WarningDeclaration} */
export const slowClock = {
  code: 'slow-clock',
  level: 'suspect',
  condition: `the kernel's clock source is not one of ${fastClocks.join(', ')}`,
  advice:
    'Choose a fast clock source: echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource.',
  sentence: ({host}) =>
    host.clockSource !== null && !fastClocks.includes(host.clockSource)
      ? `The kernel's clock source is ${host.clockSource}, which is slow to read.`
      : null,
};

/**
 * The host with the largest share.
 * @param {readonly JournalTrial[]} trials
 * @param {(load: HostLoad) => number | null} shareOf null where it is not known
 * @param {(shares: number[]) => number} summarize over the trials of a host
 * @returns {[string, number]} its name and its share; 0 if no share is known
 */
function worstHost(trials, shareOf, summarize) {
  /** @type {Map<string, number[]>} */
  const shares = new Map();
  for (const load of trials.flatMap(({hostLoads}) => hostLoads)) {
    const share = shareOf(load);
    if (share !== null) shares.set(load.host, [...(shares.get(load.host) ?? []), share]);
  }
  /** @type {[string, number][]} */
  const summaries = [...shares].map(([host, some]) => [host, summarize(some)]);
  return summaries.toSorted(([, one], [, other]) => other - one)[0] ?? ['', 0];
}

/** The share of the CPU that neither roles nor broker used. @param {HostLoad} load */
function foreignShare({busyMs, capacityMs, oursMs}) {
  return oursMs === null ? null : Math.max(0, busyMs - oursMs) / capacityMs;
}
