import {percent} from '../stats/numbers.js';
import {thresholds} from '../stats/thresholds.js';
import {timePerMessage} from '../stats/time-per-message.js';

/** @import {WarningDeclaration} from './warning.js' */

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
    const lost = Math.max(...disturbed.map(({lostShare, stealShare}) => lostShare ?? stealShare ?? 0));
    const foreign = Math.max(...disturbed.map(({foreignShare}) => foreignShare ?? 0));
    return `${disturbed.length} of ${trials.length} trials were disturbed: a role was kept from running for up to ${percent(lost)} of the time in which it could run, and other processes used up to ${percent(foreign)} of the host.`;
  },
};

/** @type {WarningDeclaration} */
export const brokerRestarted = {
  code: 'broker-restarted',
  level: 'suspect',
  condition: 'in a trial that counts, the broker was another instance than at the beginning of the battle',
  advice:
    "The variance between instances of a broker is not in the interval. Look into the broker's log for the reason, then run again.",
  sentence: ({trials}) => {
    const count = trials.filter((trial) => trial.brokerRestarted).length;
    return count > 0 ? `The broker was restarted before or in ${count} of ${trials.length} trials.` : null;
  },
};

const chooseTsc =
  'Choose a faster clock source: cat /sys/devices/system/clocksource/clocksource0/available_clocksource, then write tsc to current_clocksource beside it.';

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
