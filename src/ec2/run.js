import {checkEffects} from '../battle/effects.js';
import {estimateBattleMs} from '../battle/estimate.js';
import {newBattle} from '../battle/state.js';
import {PerfBattleError, UsageError} from '../errors.js';
import {refuseUnanswerable} from '../expect/expectation.js';
import {isAskedFor} from '../options/resolve.js';
import {describePlan} from '../report/describe-plan.js';
import {printBattles, showResults} from '../report/show-results.js';
import {printText} from '../report/terminal.js';
import {openJournal, prepareFiles} from '../session/open-journal.js';
import {runSession} from '../session/run-session.js';
import {exitCodeOf, storeResults, worstExitCode} from '../session/store-results.js';
import {prepare, typesGiven} from './prepare.js';
import {expiryOf} from './stack.js';

/**
 * @import {JournalEntry} from '../battle/types.js'
 * @import {Journal} from '../results/journal.js'
 * @import {FinishedBattle} from '../session/types.js'
 * @import {Ec2RunSettings} from '../settings/index.js'
 * @import {Hosts, Stack} from './types.js'
 */

/** The time that new hosts need for their boot and set-up. */
const setUpMs = 10 * 60_000;
const ownSettings = /** @type {const} */ ([
  'clientOn',
  'serverOn',
  'brokerOn',
  'serverAddress',
  'brokerAddress',
  'broker',
  'resume',
  'takeOver',
]);

/**
 * Runs a battle on the hosts of each type. It creates all hosts together, and uses them one after another. After all battles it
 * stores the results, and deletes the hosts in every case, unless the user keeps them.
 * @param {Ec2RunSettings} settings @param {AbortSignal} signal @returns {Promise<number>} the exit code
 */
export async function runOnEc2(settings, signal) {
  const {values} = settings;
  const types = typesGiven(values.instanceType);
  const battleMs = refuse(settings, types);
  if (values.dryRun) {
    process.stdout.write(describePlan(newBattle(settings)));
    return 0;
  }
  const {journal, battles: recorded} = await openJournal(values.results, (warning) =>
    printText(`Warning: ${warning}`),
  );
  await prepareFiles(journal, recorded, {results: values.results, exports: values.exports, signal});
  const {fleet, existing, request} = await prepare(values, signal, (running) =>
    refuseTooLong({types, running, battleMs, ttlMs: values.ttlMs}),
  );
  for (const stack of existing) fleet.removal.adopt(stack);
  // The deletion is the first step after Ctrl-C, because a second Ctrl-C may follow. The end of the run reports a failure.
  const requestDeletions = () => void fleet.removal.requestDeletions().catch(() => {});
  if (!values.keep) signal.addEventListener('abort', requestDeletions, {once: true});
  const starting = types.map((type) => fleet.ensureHosts(type, request, {madeBy: 'run', signal}));
  // runOn reports a failure when the battle of the type begins.
  for (const hosts of starting) hosts.catch(() => {});
  /** @type {FinishedBattle[]} */
  const battles = [];
  let code = 0;
  try {
    for (const hosts of starting)
      code = worstExitCode(code, await runOn(hosts, battles, {settings, journal, signal}));
    printBattles(battles, values);
  } finally {
    if (!values.keep) requestDeletions();
    await Promise.allSettled(starting);
    await endRun(battles, {settings, journal}, async () => {
      if (!values.keep) return await fleet.removal.deleteTemporary();
      printText('The hosts keep running because of --keep. Delete them with perf-battle ec2 down.');
      fleet.removal.keepAll();
    });
  }
  return code;
}

/**
 * @param {Promise<Hosts>} starting @param {FinishedBattle[]} battles receives the finished battle
 * @param {{settings: Ec2RunSettings, journal: Journal<JournalEntry>, signal: AbortSignal}} run
 * @returns {Promise<number>} the exit code of this battle; a failure does not prevent the next battle
 */
async function runOn(starting, battles, {settings, journal, signal}) {
  try {
    const onHosts = settingsOn(await starting, settings);
    const finished = await runSession({state: newBattle(onHosts), settings: onHosts, journal, signal});
    battles.push(finished);
    showResults(finished);
    return exitCodeOf(finished);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PerfBattleError)) throw error;
    printText(`perf-battle: ${error.message}`);
    return error.exitCode;
  }
}

/**
 * Stores the results, then waits until the hosts are deleted. The deletion also follows a failure to store, and no
 * interruption stops either step.
 * @param {readonly FinishedBattle[]} battles
 * @param {{settings: Ec2RunSettings, journal: Journal<JournalEntry>}} run @param {() => Promise<void>} remove
 */
async function endRun(battles, {settings, journal}, remove) {
  try {
    const {signal} = new AbortController();
    if (battles.length > 0) await storeResults(battles, {settings, journal, signal, canResume: false});
  } finally {
    await remove();
  }
}

/** @param {Hosts} hosts @param {Ec2RunSettings} settings @returns {Ec2RunSettings} the settings with the roles on these hosts */
function settingsOn({type, access: {config, names}}, {values, origins, ...rest}) {
  const isNamed = isAskedFor(origins.environment);
  const roles = {...rolesOn(names), sshConfig: config};
  return {
    ...rest,
    values: {
      ...values,
      ...roles,
      machine: values.machine ?? type,
      environment: isNamed ? values.environment : 'EC2',
    },
    origins: {...origins, environment: {kind: 'flag', name: 'perf-battle ec2'}},
  };
}

/** @param {{client: string, server: string, broker: string}} names the names of the hosts */
function rolesOn({client, server, broker}) {
  return {clientOn: [client], serverOn: [server], brokerOn: [broker]};
}

/**
 * Refuses conflicting settings before anything is created.
 * @param {Ec2RunSettings} settings @param {readonly string[]} types @returns {number} the duration of the battle of one type, in ms
 */
function refuse(settings, types) {
  const {values, origins} = settings;
  const given = ownSettings.find((key) => isAskedFor(origins[key]));
  if (given)
    throw new UsageError(
      `ec2 run does not support ${origins[given].name}: it determines itself where the roles run.`,
    );
  if (isAskedFor(origins.machine) && types.length > 1) {
    throw new UsageError(
      `${origins.machine.name} names one column, but ${origins.instanceType.name} has ${types.length} types.`,
    );
  }
  const state = newBattle({
    ...settings,
    values: {...settings.values, ...rolesOn({client: 'client', server: 'server', broker: 'broker'})},
  });
  refuseUnanswerable(values.expect ?? [], state.cells);
  for (const warning of checkEffects(settings, state.cells)) printText(`Warning: ${warning}`);
  return Math.max(estimateBattleMs(state), values.budgetMs ?? 0);
}

/**
 * Refuses a run whose successive battles outlast the hosts. For running hosts, their remaining time counts.
 * @param {{types: readonly string[], running: readonly Stack[], battleMs: number, ttlMs: number}} run running: the existing stacks of the run
 */
function refuseTooLong({types, running, battleMs, ttlMs}) {
  const bootMs = running.length < types.length ? setUpMs : 0;
  for (const [index, type] of types.entries()) {
    const stack = running.find(({parameters}) => parameters.InstanceType === type);
    const leftMs = stack ? (expiryOf(stack)?.getTime() ?? 0) - Date.now() : ttlMs;
    const neededMs = bootMs + (index + 1) * battleMs;
    if (neededMs <= leftMs) continue;
    const [needed, left] = [Math.ceil(neededMs / 60_000), Math.floor(leftMs / 60_000)];
    throw new UsageError(
      stack
        ? `The battle on ${type} ends in about ${needed} minutes, but the hosts of ${stack.name}, which are up, terminate in ${left} minutes. Delete them with perf-battle ec2 down --instance-type ${type}, so that new ones are created, or make the battle shorter.`
        : `The battle needs about ${needed} minutes, but the hosts terminate after ${left} minutes. Give a longer --ttl, or make the battle shorter.`,
    );
  }
}
