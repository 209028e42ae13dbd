import {hostname} from 'node:os';
import {dirname, join} from 'node:path';
import {estimateBattleMs, Pace} from '../battle/estimate.js';
import {guaranteesBeside} from '../battle/guarantees.js';
import {pairsAtOnce, warmUpsAtOnce} from '../battle/limits.js';
import {measureLinkRate} from '../battle/link-rate.js';
import {makeRecords} from '../battle/make-records.js';
import {RolePair} from '../battle/role-pair.js';
import {roundRules} from '../battle/rounds.js';
import {runBattle} from '../battle/run-battle.js';
import {allKnowCores} from '../battle/slices.js';
import {progressOf} from '../battle/state.js';
import {givenBroker} from '../brokers/index.js';
import {judgeExpectations} from '../expect/judge.js';
import {openMetrics} from '../exports/index.js';
import {AwakeCores} from '../hosts/host-cores.js';
import {openHosts} from '../hosts/index.js';
import {floating} from '../hosts/placement.js';
import {isAskedFor} from '../options/resolve.js';
import {describeEnd, describeRounds} from '../report/describe-plan.js';
import {makeProgress} from '../report/show-progress.js';
import {brokerKindsFor, brokerNeedOf, brokerOf, transportFacts, transportNamed} from '../transports/index.js';
import {preflight, readContext, withBroker} from './battle-context.js';
import {BrokerProvisions, findGivenServer, makeBrokerSource} from './broker-provision.js';
import {thisOwner} from './recorded-battles.js';
import {provideRuntimes, versionsOf} from './versions.js';

/**
 * @import {BattleContext, BattleEvent, BattleState, PairContext, TrialRequest} from '../battle/types.js'
 * @import {Broker} from '../brokers/kind.js'
 * @import {AwakeRequest, Hosts} from '../hosts/types.js'
 * @import {BattleSettings} from '../settings/index.js'
 * @import {BrokerNeed} from '../transports/transport.js'
 * @import {FinishedBattle, SessionRequest} from './types.js'
 */

/** The share of the budget in which rounds may end. The start of the command and the end of a private broker take the rest. */
const shareOfRounds = 0.99;

/** What a session does with the world. @typedef {typeof liveDeps} SessionDeps */
export const liveDeps = {
  openHosts,
  measureLinkRate,
  preflight,
  readContext,
  provideRuntimes,
  keepAwake: AwakeCores.start,
  makeBrokerSource,
  makePair: (/** @type {PairContext} */ context) => new RolePair(context),
  makeProgress,
  thisProcess: thisOwner,
};

/**
 * Opens what a battle needs, runs it, and closes everything again: hosts, brokers, progress on standard error. Each trial is in the journal
 * when it is done, and the records at the end. After an interruption every unfinished cell is recorded as aborted.
 * @param {SessionRequest} request @param {SessionDeps} [deps] @returns {Promise<FinishedBattle>}
 */
export async function runSession({state, settings, known = {}, journal, signal}, deps = liveDeps) {
  const {budgetMs} = settings.values;
  const pace = new Pace(budgetMs === null ? null : budgetMs * shareOfRounds);
  const progress = deps.makeProgress(state, pace, settings.values);
  journal.warn = progress.warn;
  for (const line of describeRounds(state)) progress.note(line);
  progress.note(`Seed ${settings.values.seed}.`);
  for (const line of linesOnGiven(state)) progress.note(line);
  const opened = await deps.openHosts(hostRequest(state, settings), {log: progress.note, signal});
  try {
    const kinds = brokerKindsFor(settings.values).filter((kind) => !givenBroker(kind, settings));
    const found = await deps.preflight(opened.all, {battleMs: estimateBattleMs(state), kinds});
    for (const line of found.lines) progress.warn(line);
    const hosts = {...opened, placement: placementFor(opened, {state, settings, isBusy: found.isBusy})};
    for (const line of hosts.placement.notes) progress.note(line);
    const runtimes = await deps.provideRuntimes(state.cells, {log: progress.note, signal});
    const linkBytesPerSecond = await deps.measureLinkRate(hosts, {values: settings.values, signal});
    /** @type {BattleContext} */
    let context = {...(await deps.readContext(settings, hosts)), linkBytesPerSecond, ...known};
    context = {...context, versions: {...context.versions, ...versionsOf(runtimes)}};
    const onBroker = async (/** @type {Broker} */ broker, /** @type {BrokerNeed} */ need) => {
      context = withBroker(context, broker, need);
      state.guarantees = guaranteesBeside(state.guarantees ?? [], broker);
      const {brokers, versions, brokerVersions} = context;
      await journal.append({kind: 'broker', battleId: state.id, brokers, versions, brokerVersions});
    };
    const {metricsPort} = settings.values;
    const metrics = metricsPort === null ? null : await openMetrics(metricsPort);
    const onEvent = (/** @type {BattleEvent} */ event) => {
      // Between two rounds nothing is measured.
      if (event.type === 'round') metrics?.endpoint.publish(makeRecords(state, context, {complete: true}));
      progress.onEvent(event);
    };
    try {
      if (metrics) (metricsPort === 0 ? progress.tell : progress.note)(`Metrics: ${metrics.url}`);
      const owner = await deps.thisProcess();
      await journal.append({kind: 'battle', id: state.id, ...context, cells: state.cells, owner});
      const shown = {...progress, onEvent};
      const running = runRounds(
        {state, settings, journal, signal, hosts, runtimes, pace, context, progress: shown, onBroker},
        deps,
      );
      await running.catch(async (error) => {
        if (signal.aborted) await journal.append(...makeRecords(state, context, {complete: false}));
        throw error;
      });
    } finally {
      metrics?.endpoint.close();
      progress.end();
    }
    const records = makeRecords(state, context, {complete: true});
    await journal.append(...records);
    const completed = records.filter(({outcome}) => outcome === 'completed');
    const expectations = judgeExpectations(settings.values.expect ?? [], records);
    return {state, settings, context, records, expectations, transports: transportFacts(completed)};
  } finally {
    await opened.close();
  }
}

/**
 * @param {Omit<SessionRequest, 'known'> & {hosts: Hosts, runtimes: Awaited<ReturnType<typeof provideRuntimes>>, pace: Pace, context: BattleContext,
 *   progress: ReturnType<typeof makeProgress>, onBroker: (broker: Broker, need: BrokerNeed) => Promise<void>}} battle
 * @param {SessionDeps} deps
 */
async function runRounds(battle, deps) {
  const {state, settings, journal, signal, hosts, runtimes, pace, progress, onBroker} = battle;
  const {values} = settings;
  const {onEvent, note} = progress;
  const profilesIn = join(dirname(values.results), 'profiles', state.id);
  const source = deps.makeBrokerSource(settings, {
    id: state.id,
    hosts: hosts.brokers,
    coresOn: hosts.placement.brokerCores,
    log: note,
    signal,
  });
  const brokers = new BrokerProvisions({provision: source.provision, onBroker, onEvent, signal});
  const openPair = async (/** @type {TrialRequest} */ {cell, round}) => {
    const need = brokerNeedOf(cell);
    const broker = need && (await brokers.current(need));
    const names = need ? source.namesFor(need.kind, `${cell.number}-${round}`) : {};
    const place = transportNamed(cell.transport).serverOf?.(cell.variant) ?? null;
    const given = place && (await findGivenServer(place, hosts.clients));
    return deps.makePair({round, hosts, runtimes, broker, given, values, names, profilesIn, awake, signal});
  };
  const awake = await deps.keepAwake(hosts, awakeRequest(battle));
  try {
    // Without a broker only the trials that need it fail.
    for (const need of brokersNeeded(state)) await brokers.current(need).catch(() => {});
    const room = {
      pairsAtOnce: pairsAtOnce(hosts, state.cells),
      warmUpsAtOnce: warmUpsAtOnce(hosts, state.cells),
    };
    await runBattle(state, {openPair, journal, onEvent, signal, pace, awake, ...room});
    progress.end(describeEnd(state));
  } finally {
    await Promise.all([awake.end(), brokers.release()]);
  }
}

/**
 * Where others use a host, a thread that may leave its core is slowed less: beside an endless loop on one of two cores, raw TCP at 1 KB took 0.15 ms
 * on cores of its own, 0.074 without, and 0.08 on the idle host.
 * @param {Hosts} hosts @param {{state: BattleState, settings: BattleSettings, isBusy: boolean}} battle
 */
function placementFor({placement}, {state, settings, isBusy}) {
  const {pin} = settings.values;
  const placesMain = pin === 'auto' || pin === 'main';
  if (placesMain && !allKnowCores(state.cells)) return floating('a side is a version that cannot do it');
  return isBusy && pin === 'auto' ? floating('other programs use the cores') : placement;
}

/** @param {Parameters<typeof runRounds>[0]} battle @returns {AwakeRequest} */
function awakeRequest({state, settings: {values, origins}, context, progress, signal}) {
  const wanted = isAskedFor(origins.cores) ? values.cores : null;
  return {
    wanted: allKnowCores(state.cells) ? wanted : 'sleeping',
    instanceTypeOf: ({report}) => (report?.fingerprint ?? context.hosts[hostname()])?.instance?.type ?? null,
    log: progress.note,
    signal,
  };
}

/**
 * A default server address is for scripts started by hand. In a battle only an address that the user gave has an effect.
 * @param {BattleState} state @param {BattleSettings} settings
 */
function hostRequest({cells}, {values, origins}) {
  const serverAddress = isAskedFor(origins.serverAddress) ? values.serverAddress : null;
  const needsBroker = cells.some((cell) => brokerOf(cell) !== null);
  return {
    .../** @type {Omit<Parameters<typeof openHosts>[0], 'needsBroker'>} */ (values),
    serverAddress,
    needsBroker,
    modules: [...new Set(cells.flatMap(({module}) => module?.url ?? []))],
  };
}

/** What a server that a person named will get. @param {BattleState} state */
function linesOnGiven({cells, values}) {
  const given = cells.filter(({transport, variant}) => transportNamed(transport).serverOf?.(variant));
  const names = new Set(given.map(({labels}) => labels.facilitator));
  const {urlRequests} = values;
  return [...names].map(
    (name) =>
      `${name} is a given server: each client process sends it at most ${urlRequests} requests (--url-requests), and nothing else.`,
  );
}

/** The brokers that the unfinished cells need. They start before the first round. @param {BattleState} state */
function brokersNeeded(state) {
  const {planned} = roundRules(state.values);
  const unfinished = state.cells.filter(({number}) => progressOf(state, number).trials.length < planned);
  return unfinished.flatMap((cell) => brokerNeedOf(cell) ?? []);
}
