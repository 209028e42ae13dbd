import {mean} from 'simple-statistics';
import {thresholds} from '../stats/thresholds.js';
import {percent} from './warning.js';

/**
 * @import {OpenLoopDistributions} from '../results/trial.js'
 * @import {Summary} from '../stats/summary.js'
 * @import {WarningDeclaration} from './warning.js'
 */

const roles = /** @type {const} */ (['client', 'server']);

/** @type {WarningDeclaration} */
export const saturated = {
  code: 'saturated',
  level: 'suspect',
  condition: `the event loop of the client or the server was busy more than ${thresholds.eventLoopShare * 100} % of the time, although one request at a time should leave it idle`,
  advice:
    'The figure is the limit of that process rather than of the transport. Look at its CPU per message.',
  sentence: ({trials, busyRoles}) => {
    for (const role of roles) {
      if (busyRoles.includes(role)) continue;
      const share = mean(trials.map(({usage}) => usage[role]?.eventLoopShare ?? 0));
      if (share > thresholds.eventLoopShare)
        return `The event loop of the ${role} was busy ${percent(share)} of the time.`;
    }
    return null;
  },
};

/** @type {WarningDeclaration} */
export const generatorBehind = {
  code: 'generator-behind',
  level: 'suspect',
  condition: `in an open loop, the p99 of the send lag is more than ${thresholds.sendLagMs} ms`,
  advice:
    'The client could not send on time, so the load was less even than requested. Response times still count from the intended time. Use more clients, or a lower rate.',
  sentence: ({figures: {latencies, openLoop}}) => {
    /** @type {Partial<OpenLoopDistributions<Summary>>} */
    const {sendLag} = latencies;
    const lag = openLoop ? (sendLag?.p99Ms ?? sendLag?.maxMs ?? null) : null;
    return lag !== null && lag > thresholds.sendLagMs
      ? `The p99 of the send lag was ${lag.toFixed(2)} ms.`
      : null;
  },
};

/** @type {WarningDeclaration} */
export const notKeepingUp = {
  code: 'not-keeping-up',
  level: 'suspect',
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
  condition: `in a closed loop, mean × rate is more than ${thresholds.littlesLaw} times the allowed number of requests in flight`,
  advice: 'The measurement contradicts itself. Report this with the journal.',
  sentence: ({trials, variant, maxInFlight, figures}) => {
    if (figures.openLoop) return null;
    const max = maxInFlight * (variant.clients ?? 1);
    const outstanding = Math.max(
      ...trials.map(({samples, meanMs, usage}) => ((meanMs ?? 0) * samples) / usage.client.wallMs),
    );
    return outstanding > thresholds.littlesLaw * max
      ? `By Little's law ${outstanding.toFixed(2)} requests were in flight, but at most ${max} were allowed.`
      : null;
  },
};
