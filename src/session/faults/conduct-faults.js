import {randomUUID} from 'node:crypto';
import {whyNoDisk} from '../../brokers/disk.js';
import {brokerKindNamed} from '../../brokers/index.js';
import {provisionBroker} from '../../brokers/provision.js';
import {failureOf, UsageError} from '../../errors.js';
import {concludeFaults} from '../../faults/conclude.js';
import {faultNamed, faultNames} from '../../faults/faults.js';
import {CuttableNetwork, whyNoNetwork} from '../../hosts/cuttable-network.js';
import {isAskedFor, overlay} from '../../options/resolve.js';
import {wholeTable} from '../../presets/faults.js';
import {readFingerprint, versionsTogether} from '../../results/fingerprint.js';
import {transportNamed} from '../../transports/index.js';
import {readVersions} from '../versions.js';
import {whyNoCut} from './cut-connections.js';
import {FaultPhases} from './phases.js';
import {elsewhereIn, namesOfPlaces, needsHere, onThisClock, openPlaces, refusePlaces} from './places.js';
import {applies, rowsOf, staysDown, triesOf} from './rows.js';

/**
 * @import {Conclusion, FoundFaults, FoundOfRow, NotTried, Row} from '../../faults/found.js'
 * @import {Broker, BrokerSettings} from '../../brokers/kind.js'
 * @import {AskedFault} from '../../faults/faults.js'
 * @import {FaultPreset} from '../../presets/faults.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Host} from '../../hosts/host.js'
 * @import {LoadSettings} from './load.js'
 * @import {Elsewhere, Places} from './places.js'
 * @import {FaultRun} from './phases.js'
 * @import {Fingerprint} from '../../results/fingerprint.js'
 */

/** @type {readonly AskedFault[]} */
const faultsOfAllSettings = faultNames.flatMap((name) => {
  const {isDefault, isOfAllSettings} = faultNamed(name);
  return isDefault || isOfAllSettings ? [{name, at: null}] : [];
});
/** A load below the knee of every transport on a small host. */
const defaultRate = 500;
const defaultWindow = 64;
const defaults = {payloadBytes: [1024]};

/**
 * A run of faults that can begin.
 * @typedef {{settings: FaultSettings, rows: Row[], load: LoadSettings}} FaultPlan
 *
 * A run that is over.
 * @typedef {object} FinishedFaults
 * @property {{runId: string, startedAt: string, seed: number, resend: boolean, hosts?: {server: string | null, broker: string | null}} & LoadSettings} run resend: in some row; hosts: that are not this one
 * @property {Fingerprint} host
 * @property {Record<string, string | null>} versions
 * @property {FoundFaults} found
 * @property {Conclusion[]} conclusions
 */

/**
 * Plans a run of faults; nothing has started.
 * @param {FaultSettings} asked without a preset
 * @param {FaultPreset | null} preset @returns {FaultPlan}
 * @throws {UsageError} when the settings ask for what has no target, or cannot be done
 */
export function planFaults(asked, preset) {
  const settings = settingsOfRun(asked, preset);
  const {values} = settings;
  const rows = rowsOf(settings);
  refuseWithoutTarget(settings, rows);
  refuseLonelyServers(settings, rows);
  refusePlaces(settings, rows);
  const load = {
    rate: only(values.rate, '--rate') ?? defaultRate,
    window: only(values.window, '--window') ?? defaultWindow,
  };
  return {settings, rows, load};
}

/**
 * The settings in force in a run: those that the person gave, those of a preset, and those that show what an acknowledgement is worth, as
 * transports declare them.
 * @param {FaultSettings} asked without a preset
 * @param {FaultPreset | null} preset @returns {FaultSettings}
 */
export function settingsOfRun(asked, preset) {
  const origin = /** @type {const} */ ({kind: 'preset', name: preset?.name ?? 'faults'});
  if (asked.values.table && preset)
    throw new UsageError(
      `--table and --preset ${preset.name} exclude each other: each says what is done to what.`,
    );
  const own = /** @type {any} */ ({...defaults, ...preset?.settings, ...(asked.values.table && wholeTable)});
  const settings = overlay(asked, own, origin);
  const {transport: names, allSettings} = settings.values;
  const declared = names.flatMap((name) => transportNamed(name).guarantees ?? []);
  const values = Object.assign(
    {},
    ...declared.map(({usual, all, consumer}) => (allSettings ? {...all, ...consumer} : usual)),
    allSettings && {fault: faultsOfAllSettings},
  );
  return overlay(settings, values, {kind: 'default', name: 'faults'});
}

/**
 * Does the faults. Each is stored when it was done, and each row at the end.
 * @param {FaultPlan} plan
 * @param {{append: (...entries: {kind: string}[]) => Promise<void>, note: (line: string) => void, signal: AbortSignal}} deps append: to a journal
 * @returns {Promise<FinishedFaults>} without a broker, only the rows that need it have failed
 */
export async function conductFaults({settings, rows, load}, {append, note, signal}) {
  // As it is before the load.
  const host = {...(await readFingerprint())};
  const startedAt = new Date().toISOString();
  const runId = randomUUID().slice(0, 8);
  const resend = rows.some((row) => row.resend);
  const hosts = namesOfPlaces(settings);
  const run = {runId, startedAt, seed: settings.values.seed, ...load, resend, ...(hosts && {hosts})};
  const save = (/** @type {object} */ done) => append({kind: 'fault', ...run, ...done});
  const found = await runFaults({id: runId, rows, settings, load, note, save, signal});
  const conclusions = concludeFaults(found);
  const own = await readVersions();
  const versions = versionsTogether([own, ...found.versions.values()]);
  await append(
    ...conclusions.map((one) => ({
      ...{kind: 'faults', ...run, host},
      versions: {...versions, ...found.versions.get(one.row)},
      ...one,
    })),
  );
  return {run, host, versions, found, conclusions};
}

/**
 * What --json prints of a run.
 * @param {FinishedFaults} finished @returns {FaultsDocument}
 *
 * @typedef {{faults: FinishedFaults['run'] & Pick<FinishedFaults, 'host' | 'versions'> & {notTried: NotTried[]}, rows: (Conclusion & Pick<FinishedFaults, 'versions'>)[]}} FaultsDocument versions: of the row are those of its own broker
 */
export function documentOfFaults({run, host, versions, found, conclusions}) {
  const rows = conclusions.map((one) => ({...one, versions: {...versions, ...found.versions.get(one.row)}}));
  return {faults: {...run, host, versions, notTried: found.notTried}, rows};
}

/** @param {FaultSettings} settings @param {readonly Row[]} rows */
function refuseWithoutTarget({values, origins}, rows) {
  const names = values.fault.map(({name}) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw new UsageError(`--fault names ${twice} twice; --tries does it several times.`);
  const idle = names.find((name) => !rows.some((row) => applies(name, row)));
  if (idle === undefined) return;
  const why = `has no target here: ${targetless[faultNamed(idle).target]}`;
  if (isAskedFor(origins.fault))
    throw new UsageError(`--fault ${idle} ${why}. Leave it out, or measure what has one.`);
  if (origins.fault.kind === 'preset')
    throw new UsageError(
      `${idle}, which --preset ${origins.fault.name} does, ${why}. Leave out the settings that differ from those of the preset.`,
    );
}

/**
 * A server that lost its node is started again when that is over. Where nothing is over, requests would fail although the other nodes serve on.
 * @param {FaultSettings} settings @param {readonly Row[]} rows
 */
function refuseLonelyServers({values, origins}, rows) {
  const hit = values.fault.find(
    ({name}) =>
      faultNamed(name).target === 'node' &&
      staysDown(name, values) &&
      rows.some((row) => !row.stores && applies(name, row)),
  );
  if (hit !== undefined)
    throw new UsageError(
      `${origins.respawn.name} off with ${hit.name} takes queues alone (--workload queue): a server of requests may end with its node, and nothing would start it again.`,
    );
}

/** Why a fault has no target, by what it is done to. */
const targetless = {
  broker: 'no row has a broker, or a queue on it',
  node: 'no row has a cluster of enough nodes (--broker-nodes 3)',
  server: 'no row has a server (--workload rtt)',
  consumer: 'no row has a queue whose consumer acknowledges as a setting says',
  connection: 'no row has a connection',
  network: 'no row has a network',
};

/** @param {readonly number[] | null} values @param {string} flag */
function only(values, flag) {
  if (values === null) return null;
  if (values.length > 1) throw new UsageError(`faults takes one ${flag}.`);
  return values[0];
}

/** RabbitMQ needs some 50 MB for itself, and 50 MB must stay free. */
const leastDiskBytes = 768 * 1024 ** 2;
/** The image is sparse, but a file system of any size has tables. */
const mostDiskBytes = 16 * 1024 ** 3;
/** What a broker writes for a message, and the time of a try without the time for which what was hit stays down, both ample. */
const writtenPerByte = 3;
const secondsPerTry = 13;

/**
 * Does faults to the parts of each row under a steady load, and accounts for every message. The brokers are private ones, which are removed at the end.
 * @param {FaultRun} run
 * @returns {Promise<FoundFaults>} without a broker, only the rows that need it fail
 */
export async function runFaults(run) {
  const {rows, settings} = run;
  const asked = settings.values.fault.filter(({name}) => rows.some((row) => applies(name, row)));
  const isAsked = (/** @type {string} */ of) => asked.some(({name}) => faultNamed(name).target === of);
  const noDisk = await whyNoDisk();
  const noNetwork = isAsked('network') ? await whyNoNetwork() : null;
  const noCut = isAsked('connection') ? await whyNoCut() : null;
  const elsewhere = elsewhereIn(settings);
  const notTried = await findImpossible(asked, {rows, noDisk, noNetwork, elsewhere});
  const places = await openPlaces(settings, rows, run);
  try {
    return await runInPlaces(run, {
      asked,
      places,
      notTried,
      noCut,
      hasDisk: noDisk === null && !elsewhere.broker,
    });
  } finally {
    await places.close();
  }
}

/**
 * @param {FaultRun} run
 * @param {{asked: readonly AskedFault[], places: Places, notTried: NotTried[], noCut: string | null, hasDisk: boolean}} how
 * @returns {Promise<FoundFaults>}
 */
async function runInPlaces(run, {asked, places, notTried, noCut, hasDisk}) {
  const {rows, signal} = run;
  /** @type {FoundOfRow[]} */
  const found = rows.map((row) => ({row, evidence: null, faults: [], error: null}));
  /** @type {FoundFaults['versions']} */
  const versions = new Map();
  for (const own of groupsOf(found)) {
    const [{row}] = own;
    for (const {faults, isCuttable} of placesOf(possibleFor(row, asked, notTried), own)) {
      /** @type {CuttableNetwork | null} */
      let network = null;
      /** @type {Broker | null} */
      let broker = null;
      try {
        if (isCuttable) network = await CuttableNetwork.open();
        if (row.broker !== null)
          broker = await startBroker(row.broker, row.brokerSettings, {
            ...{run, hasDisk, network},
            host: places.broker,
          });
        for (const one of own) versions.set(one.row, broker?.versions ?? {});
        await new FaultPhases(run, {broker, network, places, hasDisk, noCut, own}).run(faults);
      } catch (error) {
        signal.throwIfAborted();
        for (const one of own) one.error ??= failureOf(error);
      } finally {
        await broker?.release();
        await network?.close();
      }
    }
  }
  return {rows: found, notTried, versions};
}

/** Those that share a broker, or need none. @param {readonly FoundOfRow[]} found @returns {FoundOfRow[][]} */
function groupsOf(found) {
  /** @type {Map<string, FoundOfRow[]>} */
  const groups = new Map();
  for (const one of found) {
    const key = JSON.stringify([one.row.broker, one.row.brokerSettings]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/**
 * @template {Pick<AskedFault, 'name'>} Asked
 * @param {Pick<Row, 'broker'>} row @param {readonly Asked[]} asked @param {readonly NotTried[]} notTried
 * @returns {Asked[]} those that can be done to rows with its kind of broker
 */
export function possibleFor({broker}, asked, notTried) {
  return asked.filter(({name}) =>
    notTried.every(
      ({fault, brokers}) => fault !== name || (brokers && (broker === null || !brokers.includes(broker))),
    ),
  );
}

/**
 * The faults that need a network that can be cut, apart from the others, which are done to processes on the loopback interface.
 * @template {Pick<AskedFault, 'name'>} Asked
 * @param {readonly Asked[]} tried @param {readonly FoundOfRow[]} own
 * @returns {{isCuttable: boolean, faults: Asked[]}[]}
 */
export function placesOf(tried, own) {
  const needsCut = (/** @type {Asked} */ {name}) => faultNamed(name).target === 'network';
  const cutting = tried.filter((one) => needsCut(one) && own.some(({row}) => applies(one.name, row)));
  const others = tried.filter((one) => !needsCut(one));
  return [
    ...(others.length > 0 || cutting.length === 0 ? [{isCuttable: false, faults: others}] : []),
    ...(cutting.length > 0 ? [{isCuttable: true, faults: cutting}] : []),
  ];
}

/**
 * @param {readonly AskedFault[]} asked
 * @param {{rows: readonly Row[], noDisk: string | null, noNetwork: string | null, elsewhere?: Elsewhere}} here noDisk: why there is none; noNetwork: why none can be
 *   cut; elsewhere: what is on other hosts, by default nothing
 * @returns {Promise<NotTried[]>}
 */
export async function findImpossible(
  asked,
  {rows, noDisk, noNetwork, elsewhere = {server: false, broker: false}},
) {
  const kinds = [...new Set(rows.flatMap(({broker}) => broker ?? []))].map(brokerKindNamed);
  const drivers = await Promise.all(kinds.map((kind) => kind.load()));
  const without = (/** @type {'readAlarm' | 'limitMemory'} */ what) =>
    kinds.filter((_, index) => !drivers[index][what]);
  const silent = without('readAlarm');
  const unlimited = without('limitMemory').filter((kind) => !silent.includes(kind));
  return asked.flatMap(({name: fault}) => {
    const {isCut, untilAlarm = false, target, steps} = faultNamed(fault);
    const because = (/** @type {typeof kinds} */ those, /** @type {string} */ lack) =>
      those.map(({name, label}) => ({fault, why: `${label} ${lack}`, brokers: [name]}));
    const needsDisk = isCut || steps.includes('fill');
    const needed =
      needsHere(fault, elsewhere, rows) ?? (needsDisk ? noDisk : target === 'network' ? noNetwork : null);
    if (needed !== null) return [{fault, why: `it needs ${needed}`}];
    return [
      ...because(untilAlarm ? silent : [], 'does not say whether it takes messages'),
      ...because(steps.includes('exhaust') ? unlimited : [], 'has no limit of memory that can be changed'),
    ];
  });
}

/** How long a load lasts at most, amply. @param {FaultSettings} settings */
export function mostLoadSeconds(settings) {
  const {fault, restartAfterMs} = settings.values;
  return Math.max(
    ...fault.map((asked) => {
      // A silent network needs as long again until all is as before.
      const secondsOfTry = secondsPerTry + (2 * restartAfterMs) / 1000;
      return (asked.at?.toMs ?? 0) / 1000 + triesOf(asked, settings) * secondsOfTry;
    }),
  );
}

/**
 * @param {string} name @param {BrokerSettings} brokerSettings
 * @param {{run: FaultRun, hasDisk: boolean, network: CuttableNetwork | null, host: Host}} where
 */
async function startBroker(name, brokerSettings, {run, hasDisk, network, host}) {
  const {rows, settings, load, note, signal} = run;
  const kind = brokerKindNamed(name);
  const sentBytes = load.rate * mostLoadSeconds(settings) * rows.length * (rows[0]?.payloadBytes ?? 0);
  const nodes = kind.nodes(settings.values);
  const diskBytes = Math.min(mostDiskBytes, nodes * (leastDiskBytes + writtenPerByte * sentBytes));
  const broker = await provisionBroker(kind, {
    ...{choice: 'private', given: null, settings: brokerSettings, nodes, log: note, signal},
    ...(hasDisk && {diskBytes}),
    hosts: [network?.far ?? host],
  });
  return onThisClock(broker);
}
