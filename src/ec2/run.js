import {checkEffects} from '../battle/effects.js';
import {estimateTrialMs} from '../battle/estimate.js';
import {roundBounds} from '../battle/rounds.js';
import {newBattle} from '../battle/state.js';
import {PerfBattleError, UsageError} from '../errors.js';
import {isAskedFor} from '../options/resolve.js';
import {describePlan} from '../report/describe-plan.js';
import {documentOf, printJson, showResults} from '../report/show-results.js';
import {openJournal, prepareFiles} from '../session/open-journal.js';
import {runSession} from '../session/run-session.js';
import {exitCodeOf, storeResults} from '../session/store-results.js';
import {prepare, say, typesGiven} from './prepare.js';

/**
 * @import {Hosts} from './fleet.js'
 * @import {Ec2RunSettings} from '../settings/index.js'
 * @import {Journal} from '../results/journal.js'
 * @import {FinishedBattle} from '../session/run-session.js'
 */

/** Of the hosts' time, what they take to boot and to set themselves up. */
const setUpMs = 10 * 60_000;
/** Where the roles run is what ec2 run sees to. */
const seenTo = /** @type {const} */ ([
  'clientOn',
  'serverOn',
  'brokerOn',
  'serverAddress',
  'brokerAddress',
  'broker',
  'resume',
]);

/**
 * A battle on hosts of each type, which are put up together and used one after the other. The rows are appended once, when all battles are
 * over. Whatever happens, the hosts are removed then.
 * @param {Ec2RunSettings} settings
 * @param {AbortSignal} signal
 * @returns {Promise<number>} the exit code
 */
export async function runOnEc2(settings, signal) {
  const {values} = settings;
  const types = typesGiven(values.instanceType);
  refuse(settings, types);
  if (values.dryRun) {
    process.stdout.write(describePlan(newBattle(settings)));
    return 0;
  }
  const {journal, battles: recorded} = await openJournal(values.results);
  await prepareFiles(journal, recorded, {results: values.results});
  const {fleet, request} = await prepare(values, signal);
  const raising = types.map((type) => fleet.ensureHosts(type, request, {madeBy: 'run', signal}));
  // It is their turn later to say what went wrong.
  for (const hosts of raising) hosts.catch(() => {});
  /** @type {FinishedBattle[]} */
  const battles = [];
  let code = 0;
  try {
    for (const hosts of raising)
      code = Math.max(code, await runOn(hosts, battles, {settings, journal, signal}));
    if (values.json) printJson({battles: battles.map(documentOf)});
  } finally {
    await Promise.allSettled(raising);
    await endRun(battles, {settings, journal}, async () => {
      if (values.keep) say('The hosts stay up, as --keep says; remove them with perf-battle ec2 down.');
      else await fleet.deleteStacksOfRuns(types);
    });
  }
  return code;
}

/**
 * @param {Promise<Hosts>} raised
 * @param {FinishedBattle[]} battles is added to
 * @param {{settings: Ec2RunSettings, journal: Journal, signal: AbortSignal}} run
 * @returns {Promise<number>} the exit code of this battle; the next runs also when this one could not
 */
async function runOn(raised, battles, {settings, journal, signal}) {
  try {
    const there = settingsOn(await raised, settings);
    const finished = await runSession({state: newBattle(there), settings: there, journal, signal});
    battles.push(finished);
    showResults(finished);
    return exitCodeOf(finished);
  } catch (error) {
    if (signal.aborted || !(error instanceof PerfBattleError)) throw error;
    say(`perf-battle: ${error.message}`);
    return error.exitCode;
  }
}

/**
 * What is measured is kept even if the hosts cannot be removed, and they are removed even if it cannot be kept. Neither is given up for an
 * interruption.
 * @param {readonly FinishedBattle[]} battles
 * @param {{settings: Ec2RunSettings, journal: Journal}} run
 * @param {() => Promise<void>} remove
 */
async function endRun(battles, {settings, journal}, remove) {
  try {
    const {signal} = new AbortController();
    if (battles.length > 0) await storeResults(battles, {settings, journal, signal, canResume: false});
  } finally {
    await remove();
  }
}

/**
 * @param {Hosts} hosts
 * @param {Ec2RunSettings} settings
 * @returns {Ec2RunSettings} with the roles there
 */
function settingsOn({type, access: {config, names}}, {values, origins, ...rest}) {
  const isNamed = isAskedFor(origins.environment);
  const places = {
    clientOn: [names.client],
    serverOn: [names.server],
    brokerOn: [names.broker],
    sshConfig: config,
  };
  return {
    ...rest,
    values: {
      ...values,
      ...places,
      machine: values.machine ?? type,
      environment: isNamed ? values.environment : 'EC2',
    },
    origins: {...origins, environment: {kind: 'flag', name: 'perf-battle ec2'}},
  };
}

/**
 * What cannot go together, before anything is created.
 * @param {Ec2RunSettings} settings
 * @param {readonly string[]} types
 */
function refuse(settings, types) {
  const {values, origins} = settings;
  const given = seenTo.find((key) => origins[key].kind === 'flag');
  if (given)
    throw new UsageError(
      `ec2 run sees to where the roles run; ${origins[given].name} cannot be given with it.`,
    );
  if (isAskedFor(origins.machine) && types.length > 1) {
    throw new UsageError(
      `${origins.machine.name} names one column; ${origins.instanceType.name} asks for ${types.length} types.`,
    );
  }
  const {cells} = newBattle(settings);
  for (const warning of checkEffects(settings, cells)) say(`Warning: ${warning}`);
  const trials = cells.length * roundBounds(values).min * types.length;
  const neededMs = trials * estimateTrialMs(cells) + setUpMs;
  if (neededMs <= values.ttlMs) return;
  throw new UsageError(
    `The battle takes about ${Math.ceil(neededMs / 60_000)} minutes by estimate, and the hosts would end after ${values.ttlMs / 60_000}: give a longer --ttl, or ask for less.`,
  );
}
