import {sum} from 'simple-statistics';
import {maxOfKnown, sumOfKnown} from '../stats/numbers.js';

/**
 * @import {Figures} from './record-schema.js'
 * @import {CpuRule, CpuTimes, JournalTrial} from './types.js'
 */

/** @type {CpuRule} */
const wholeCpu = {countsClient: true, countedAs: 'received'};

/**
 * What the roles of a cell used, where they ran, and what kept them from running, over the measured parts.
 * @param {readonly JournalTrial[]} used those that count
 * @param {CpuRule} [rule] @returns {Pick<Figures, 'cpu' | 'placement' | 'coreState' | 'interference'>}
 */
export function resourcesOf(used, rule = wholeCpu) {
  const [{placement = null}] = used;
  const received = sum(used.map(({counts}) => counts.received));
  const served = rule.countedAs === 'served' ? sum(used.map((trial) => trial.served)) : received;
  return {
    cpu: {
      client: rule.countsClient ? cpuOf(used, 'client', received) : null,
      server: cpuOf(used, 'server', served),
      broker: cpuOf(used, 'broker', served),
      ...(rule.serverInClient && {serverInClient: true}),
    },
    // Processes of a battle stay where they are; one that is resumed elsewhere has its first place here, and each in its trials.
    placement: placement && {threads: 'all', ...placement},
    coreState: coreStateOf(used),
    interference: {client: interferenceOf(used, 'client'), server: interferenceOf(used, 'server')},
  };
}

/** @param {readonly JournalTrial[]} trials */
function coreStateOf(trials) {
  const [first, ...others] = new Set(trials.map(({coreState = 'sleeping'}) => coreState));
  return others.length > 0 ? 'mixed' : first;
}

/**
 * @param {readonly JournalTrial[]} trials @param {'client' | 'server' | 'broker'} role
 * @param {number} messages by which it is divided
 */
function cpuOf(trials, role, messages) {
  const usages = trials
    .map((trial) => /** @type {(CpuTimes & {checkingMs?: number}) | null} */ (trial.usage[role]))
    .filter((usage) => usage !== null);
  if (usages.length < trials.length) return null;
  const checkingMs = sum(usages.map((usage) => usage.checkingMs ?? 0));
  const userMs = sum(usages.map((usage) => usage.userMs));
  const systemMs = sum(usages.map((usage) => usage.systemMs));
  const wallMs = sum(trials.map((trial) => trial.wallMs));
  return {
    userMs,
    systemMs,
    percent: wallMs > 0 ? (100 * (userMs + systemMs)) / wallMs : null,
    microsPerMessage: messages > 0 ? (Math.max(0, userMs + systemMs - checkingMs) * 1000) / messages : null,
    maxRssBytes: maxOfKnown(usages, 'maxRssBytes'),
  };
}

/**
 * What kept a role from its work, over the trials that count.
 * @param {readonly JournalTrial[]} trials @param {'client' | 'server'} role
 */
function interferenceOf(trials, role) {
  const usages = trials.flatMap(({usage}) => usage[role] ?? []);
  if (usages.length < trials.length) return null;
  return {
    runDelayMs: sumOfKnown(usages, 'runDelayMs'),
    stealMs: sumOfKnown(usages, 'stealMs'),
    throttledMs: sumOfKnown(usages, 'throttledMs'),
    involuntarySwitches: sumOfKnown(usages, 'involuntarySwitches'),
    migrations: sumOfKnown(usages, 'migrations'),
    gcMs: sumOfKnown(usages, 'gcMs'),
    loopDelayMaxMs: maxOfKnown(usages, 'loopDelayMaxMs'),
  };
}
