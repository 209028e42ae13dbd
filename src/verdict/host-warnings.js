import {mean} from 'simple-statistics';
import {processesOf, timePerMessage} from '../results/comparable.js';
import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {floorOf} from './compare-cells.js';

/**
 * @import {WarningDeclaration} from './warning.js'
 * @import {JournalTrial, OpenLoopDistributions, RoleUsage} from '../results/types.js'
 * @import {Summary} from '../stats/summary.js'
 */

/** @type {WarningDeclaration} */
export const runDelay = {
  code: 'run-delay',
  level: 'suspect',
  onlySlows: true,
  sparesRatios: 'in turn',
  condition: `a trial that counts is disturbed: other processes, a CPU limit or the hypervisor kept a role from running for more than ${thresholds.lostShare * 100} % of the time in which it could run. Where the roles are not pinned to cores, it is also disturbed if other processes used more than ${thresholds.trialForeignShare * 100} % of the host`,
  advice:
    'Stop the other programs on this host (top shows them), or use more cores or a dedicated instance. On t2 instances, check the CPU credits.',
  sentence: ({trials}) => {
    const disturbed = trials.filter((trial) => trial.disturbed);
    if (disturbed.length === 0) return null;
    const lost = disturbed.flatMap(({lostShare, stealShare}) => lostShare ?? stealShare ?? []);
    const foreign = disturbed.flatMap(({foreignShare}) => foreignShare ?? []);
    const known = [
      ...(lost.length > 0
        ? [
            `a role was kept from running for up to ${percent(Math.max(...lost))} of the time in which it could run`,
          ]
        : []),
      ...(foreign.length > 0
        ? [`other processes used up to ${percent(Math.max(...foreign))} of the host`]
        : []),
    ];
    return `${disturbed.length} of ${trials.length} trials were disturbed${known.length > 0 ? `: ${known.join(', and ')}` : ''}.`;
  },
};

/** @type {WarningDeclaration} */
export const brokerRestarted = {
  code: 'broker-restarted',
  level: 'suspect',
  condition: 'in a trial that counts, the broker was not the instance that ran when the battle began',
  advice:
    "The variance between instances of a broker is not in the interval. Look into the broker's log for the reason, then run again.",
  sentence: ({trials}) => {
    const count = trials.filter((trial) => trial.brokerRestarted).length;
    return count > 0 ? `The broker was restarted before or in ${count} of ${trials.length} trials.` : null;
  },
};

const chooseTsc =
  'Choose a faster clock source: cat /sys/devices/system/clocksource/clocksource0/available_clocksource, then write tsc to current_clocksource in that folder.';

/** @type {WarningDeclaration} */
export const slowClock = {
  code: 'slow-clock',
  level: 'suspect',
  onlySlows: true,
  condition: `reading the clock takes more than ${thresholds.clockShare * 100} % of the mean time per message, as measured on the client's host`,
  advice: `${chooseTsc} If it is tsc already, use another host or larger payloads.`,
  adviceFor: ({host: {clockSource = null}}) => {
    if (clockSource === 'tsc')
      return 'The clock source is tsc already, and none is faster. Use another host, or larger payloads.';
    return clockSource === null ? 'Use another host, or larger payloads.' : chooseTsc;
  },
  sentence: ({host, comparedBy, figures}) => {
    const {clockReadNanos = null, clockSource} = host;
    const share = (clockReadNanos ?? 0) / (timePerMessage({comparedBy, ...figures}).meanMs * 1e6);
    return share > thresholds.clockShare
      ? `Reading the clock (${clockSource ?? 'unknown source'}) takes ${clockReadNanos} ns, ${percent(share)} of the mean.`
      : null;
  },
};

const roles = /** @type {const} */ (['client', 'server']);

/** @type {WarningDeclaration} */
export const saturated = {
  code: 'saturated',
  level: 'suspect',
  onlySlows: true,
  condition: `the event loop of the client or the server was busy, and used a core, more than ${thresholds.eventLoopShare * 100} % of the time, although one request at a time should leave it idle`,
  advice:
    'The figure is the limit of that process rather than of the transport. Look at its CPU per message.',
  sentence: ({trials, busyRoles, variant}) => {
    for (const role of idleRoles(busyRoles)) {
      const share = mean(trials.map(({usage}) => busyShare(usage[role], processesOf(role, variant))));
      if (share > thresholds.eventLoopShare)
        return `The event loop of the ${role} was busy ${percent(share)} of the time.`;
    }
    return null;
  },
};

/** @type {WarningDeclaration} */
export const stalled = {
  code: 'stalled',
  level: 'suspect',
  onlySlows: true,
  condition: `the longest delay of an event loop is more than ${thresholds.stallShare * 100} % of a trial, on average over the trials. Time in which the process waited for a core is not counted. One request at a time should leave the loop idle`,
  advice:
    'Something blocked that process: a garbage collection or a synchronous call. Measure longer (--duration 5s), so that one stall weighs less.',
  sentence: ({trials, busyRoles}) => {
    for (const role of idleRoles(busyRoles)) {
      const share = mean(trials.map(({usage}) => stallShare(usage[role])));
      if (share > thresholds.stallShare)
        return `The longest delay of the ${role}'s event loop was ${percent(share)} of a trial.`;
    }
    return null;
  },
};

/** @type {WarningDeclaration} */
export const garbageCollection = {
  code: 'garbage-collection',
  level: 'suspect',
  onlySlows: true,
  condition: `garbage collections paused the client or the server longer than at the raw TCP floor, by more than ${thresholds.gcShare * 100} % of the time`,
  advice: aboutMemory('Use --keep-memory on, or compare'),
  adviceFor: ({variant}) => aboutMemory(variant.keepMemory ? 'Compare' : 'Use --keep-memory on, or compare'),
  sentence: (cell, cells) => {
    const floor = floorOf(cell, cells);
    if (!floor) return null;
    for (const role of roles) {
      const [share, ofFloor] = [cell, floor].map(({trials, variant}) =>
        mean(trials.map(({usage}) => pauseShare(usage[role]) / processesOf(role, variant))),
      );
      if (share - ofFloor > thresholds.gcShare)
        return `Garbage collections paused the ${role} ${percent(share)} of the time, and the ${role} of the floor ${percent(ofFloor)}.`;
    }
    return null;
  },
};

/** @param {string} beginning of what to do */
function aboutMemory(beginning) {
  return `The figure is about the memory that a library allocates rather than about the transport. ${beginning} another library where the transport offers several (HTTP: --http-server, --http-client), or a smaller payload.`;
}

/** @param {readonly string[]} busyRoles */
function idleRoles(busyRoles) {
  return roles.filter((role) => !busyRoles.includes(role));
}

/**
 * The event loop also counts as busy while its process waits for a core. During such a wait, the CPU time does not grow.
 * @param {RoleUsage | null} usage null: unknown @param {number} processes
 */
function busyShare(usage, processes) {
  if (!usage) return 0;
  const cpuMs = usage.mainThreadMs ?? usage.userMs + usage.systemMs;
  return Math.min(usage.eventLoopShare, cpuMs / (usage.wallMs * processes));
}

/** A wait for a core delays the event loop, so it is subtracted. @param {RoleUsage | null} usage null: unknown @returns {number} 0 if unknown */
function stallShare(usage) {
  if (!usage) return 0;
  return Math.max(0, (usage.loopDelayMaxMs ?? 0) - (usage.runDelayMs ?? 0)) / usage.wallMs;
}

/** @param {RoleUsage | null} usage null: unknown @returns {number} share of the time; 0 if unknown */
function pauseShare(usage) {
  return usage ? (usage.gcMs ?? 0) / usage.wallMs : 0;
}

/** @type {WarningDeclaration} */
export const generatorBehind = {
  code: 'generator-behind',
  level: 'suspect',
  sparesRate: true,
  condition: `in an open loop, the p99 of the send lag (of few messages, p95) is more than ${thresholds.sendLagMs} ms`,
  advice:
    'The client could not send on time, so the load was less even than requested. Response times still count from the intended time. Use more clients, or a lower rate.',
  sentence: ({figures: {latencies, openLoop}}) => {
    /** @type {Partial<OpenLoopDistributions<Summary>>} */
    const {sendLag} = latencies;
    const {name, lagMs} = (openLoop && sendLag && tailOf(sendLag)) ?? {name: '', lagMs: 0};
    return lagMs > thresholds.sendLagMs ? `The ${name} of the send lag was ${lagMs.toFixed(2)} ms.` : null;
  },
};

/** The highest percentile that enough messages support, at most p99. @param {Summary} summary */
function tailOf({p99Ms, p95Ms, p90Ms, maxMs}) {
  const known = Object.entries({p99: p99Ms, p95: p95Ms, p90: p90Ms, maximum: maxMs});
  const [name, lagMs] = known.find(([, value]) => value != null) ?? ['maximum', 0];
  return {name, lagMs: Number(lagMs)};
}

/** @type {WarningDeclaration} */
export const notKeepingUp = {
  code: 'not-keeping-up',
  level: 'suspect',
  sparesRate: true,
  condition: `in an open loop, less than ${thresholds.achievedShare * 100} % of the offered rate was achieved, or half of the messages were sent late by more than ${thresholds.lateShare * 100} % of the run`,
  advice:
    'The transport cannot sustain this rate. Response times grow with the length of the run and say little.',
  sentence: ({figures: {openLoop}}) =>
    openLoop && !openLoop.keepsUp
      ? `Of ${openLoop.offeredPerSecond} messages per second ${openLoop.achievedPerSecond.toFixed(0)} were achieved.`
      : null,
};

/** @type {WarningDeclaration} */
export const littlesLaw = {
  code: 'littles-law',
  level: 'suspect',
  condition: `in a closed loop, mean × rate is above ${thresholds.littlesLaw.max} times the requests in flight, or below ${thresholds.littlesLaw.min} times in an undisturbed trial of ${thresholds.littlesLaw.minTrialMs} ms or more with one client and a full window, beyond what the ends of slices explain`,
  advice: 'The measurement contradicts itself. Report this with the journal.',
  sentence: ({trials, variant: {clients = 1}, maxInFlight, keepsWindowFull, figures}) => {
    if (figures.openLoop) return null;
    const max = maxInFlight * clients;
    const atEnds = maxInFlight > 1 ? inFlightAtEnds : () => 0;
    // In a slice, the time of a late reply counts, and the wait for it after the slice does not.
    const timely = trials.filter(({counts}) => counts.timedOut === 0);
    const most = Math.max(...timely.map((trial) => inFlight(trial) - max * atEnds(trial)));
    if (most > thresholds.littlesLaw.max * max)
      return `By Little's law ${most.toFixed(2)} requests were in flight, but at most ${max} were allowed.`;
    const least = Math.min(
      ...timely.filter(isLongUndisturbed).map((trial) => inFlight(trial) + max * atEnds(trial)),
    );
    return keepsWindowFull && clients === 1 && least < thresholds.littlesLaw.min * max
      ? `By Little's law only ${least.toFixed(2)} requests were in flight, but the client kept ${max} outstanding.`
      : null;
  },
};

/**
 * In a short trial, the time before the first request and after the last reply is too large a share. At its end, fewer requests are in flight.
 * @param {JournalTrial} trial
 */
function isLongUndisturbed({disturbed, wallMs}) {
  return !disturbed && wallMs >= thresholds.littlesLaw.minTrialMs;
}

/** Uses the trial's time, because the client's usage may also cover the uncounted beginning of a slice. @param {JournalTrial} trial */
function inFlight({samples, meanMs, wallMs}) {
  return ((meanMs ?? 0) * samples) / wallMs;
}

/**
 * Returns a bound of what the ends of slices add to the requests in flight, or take away, as multiples of the window. The latency of a request in flight
 * at the beginning of a slice counts as a whole, also its time before that. That of a request in flight at the end does not count at all. Both are
 * at most the longest latency.
 * @param {JournalTrial} trial
 */
function inFlightAtEnds({slices, maxMs, wallMs}) {
  return ((slices ?? 0) * (maxMs ?? 0)) / wallMs;
}
