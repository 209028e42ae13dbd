import {randomUUID} from 'node:crypto';
import {whyNoDisk} from '../../brokers/disk.js';
import {brokerKindNamed} from '../../brokers/index.js';
import {provisionBroker} from '../../brokers/provision.js';
import {failureOf, UsageError} from '../../errors.js';
import {concernsRow, concludeFaults} from '../../faults/conclude.js';
import {faultNamed} from '../../faults/faults.js';
import {CuttableNetwork, whyNoNetwork} from '../../hosts/cuttable-network.js';
import {isAskedFor} from '../../options/resolve.js';
import {readFingerprint, versionsTogether} from '../../results/fingerprint.js';
import {readVersions} from '../versions.js';
import {whyNoCut} from './cut-connections.js';
import {FaultPhases} from './phases.js';
import {elsewhereIn, hasRate, namesOfPlaces, needsHere, onThisClock, openPlaces} from './plan-faults.js';
import {settingsToRecord} from './recorded-faults.js';
import {applies, triesOf} from './rows.js';

/**
 * @import {Broker, BrokerSettings} from '../../brokers/kind.js'
 * @import {AskedFault} from '../../faults/faults.js'
 * @import {FoundFaults, FoundOfRow, NotTried, Row} from '../../faults/found.js'
 * @import {Host} from '../../hosts/types.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {Elsewhere, FaultPlan, FaultRun, FinishedFaults, Places} from './types.js'
 */

/**
 * Runs a plan of faults. Each fault is stored when it is over, and each row at the end.
 * @param {FaultPlan} plan
 * @param {{append: (...entries: {kind: string}[]) => Promise<void>, note: (line: string) => void, signal: AbortSignal}} deps append: to a journal
 * @returns {Promise<FinishedFaults>} if a broker is not available, only the rows that need it have failed
 */
export async function conductFaults({settings, rows, load}, {append, note, signal}) {
  // The fingerprint shows the host before the load.
  const host = {...(await readFingerprint())};
  const startedAt = new Date().toISOString();
  const runId = randomUUID().slice(0, 8);
  const resend = rows.some((row) => row.resend);
  const hosts = namesOfPlaces(settings);
  const applied = hasRate(settings) ? load : {rate: null, window: null};
  const run = {runId, startedAt, seed: settings.values.seed, ...applied, resend, ...(hosts && {hosts})};
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
      notTried: found.notTried,
      ...settingsToRecord(settings),
    })),
  );
  return {run, host, versions, found, conclusions};
}

/** RabbitMQ needs about 50 MB for itself, and 50 MB must stay free. */
const leastDiskBytes = 768 * 1024 ** 2;
/** The image is sparse, but the tables of a file system grow with its size. */
const mostDiskBytes = 16 * 1024 ** 3;
/** An upper bound of the bytes that a broker writes per byte of a message. */
const writtenPerByte = 3;
/** An upper bound of the time of a try, without the time for which the target stays down. */
const secondsPerTry = 13;

/**
 * Injects faults into the parts of each row under a steady load, and accounts for every message. The brokers are private, and are removed at the end.
 * @param {FaultRun} run @returns {Promise<FoundFaults>} if a broker is not available, only the rows that need it fail
 */
async function runFaults(run) {
  const {rows, settings} = run;
  const asked = settings.values.fault.filter(({name}) => rows.some((row) => applies(name, row)));
  const isAsked = (/** @type {string} */ of) => asked.some(({name}) => faultNamed(name).target === of);
  const noNetwork = isAsked('network') ? await whyNoNetwork() : null;
  const noCut = isAsked('connection') ? await whyNoCut() : null;
  const elsewhere = elsewhereIn(settings);
  const places = await openPlaces(settings, rows, run);
  try {
    const noDisk = rows.some(({broker}) => broker !== null) ? await whyNoDisk(places.broker) : null;
    const notTried = await findImpossible(asked, {rows, noDisk, noNetwork, noCut, elsewhere});
    return await runInPlaces(run, {asked, places, notTried, noCut, hasDisk: noDisk === null});
  } finally {
    await places.close();
  }
}

/**
 * @param {FaultRun} run @param {{asked: readonly AskedFault[], places: Places, notTried: NotTried[], noCut: string | null, hasDisk: boolean}} how
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

/**
 * Groups the rows that share a broker, or need none.
 * @template {{row: Pick<Row, 'broker' | 'brokerSettings'>}} Found @param {readonly Found[]} found
 */
function groupsOf(found) {
  /** @type {Map<string, Found[]>} */
  const groups = new Map();
  for (const one of found) {
    const key = JSON.stringify([one.row.broker, one.row.brokerSettings]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/**
 * @template {Pick<AskedFault, 'name'>} Asked
 * @param {Pick<Row, 'broker' | 'brokerSettings'>} row @param {readonly Asked[]} asked @param {readonly NotTried[]} notTried
 * @returns {Asked[]} the faults that are possible for rows with this broker
 */
export function possibleFor(row, asked, notTried) {
  return asked.filter(({name}) => notTried.every((one) => one.fault !== name || !concernsRow(one, row)));
}

/**
 * Separates the faults that need a cuttable network from the others, which hit processes on the loopback interface.
 * @template {Pick<AskedFault, 'name'>} Asked @param {readonly Asked[]} tried @param {readonly FoundOfRow[]} own
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
 * @param {{rows: readonly Row[], noDisk: string | null, noNetwork: string | null, noCut?: string | null, elsewhere?: Elsewhere}} here
 *   noDisk: why there is no separate disk; noNetwork: why no network can be cut; noCut: what the kernel needs to cut connections, which a proxy then does;
 *   elsewhere: the parts on other hosts, by default none
 * @returns {Promise<NotTried[]>}
 */
export async function findImpossible(
  asked,
  {rows, noDisk, noNetwork, noCut = null, elsewhere = {server: false, broker: false}},
) {
  const kinds = [...new Set(rows.flatMap(({broker}) => broker ?? []))].map(brokerKindNamed);
  const drivers = await Promise.all(kinds.map((kind) => kind.load()));
  const without = (/** @type {'readAlarm' | 'limitMemory'} */ what) =>
    kinds.filter((_, index) => !drivers[index][what]);
  const silent = without('readAlarm');
  const ofDisk = groupsOf(rows.map((row) => ({row}))).flatMap(([{row}]) => {
    const index = kinds.findIndex(({name}) => name === row.broker);
    const why = drivers[index]?.withoutDiskSpace?.(row.brokerSettings);
    return why ? [{kind: kinds[index], why, settings: row.brokerSettings}] : [];
  });
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
      ...because(
        target === 'connection' && noCut !== null ? kinds.filter((kind) => kind.advertisesAddress) : [],
        `has connections to an address that it advertises, past a proxy: to cut them needs ${noCut}`,
      ),
      ...(steps.includes('fill') ? ofDisk : []).flatMap(({kind, why, settings}) =>
        because([kind], why).map((one) => ({...one, settings})),
      ),
      ...because(steps.includes('exhaust') ? unlimited : [], 'has no limit of memory that can be changed'),
    ];
  });
}

/**
 * Finds the faults that the kinds of brokers do not support, which is known before anything starts.
 * @param {Pick<FaultPlan, 'settings' | 'rows'>} plan @returns {Promise<NotTried[]>}
 * @throws {UsageError} when the user asks for a fault that is possible for no row
 */
export async function findUnsupported({settings, rows}) {
  const {values, origins} = settings;
  const asked = values.fault.filter(({name}) => rows.some((row) => applies(name, row)));
  const notTried = await findImpossible(asked, {rows, noDisk: null, noNetwork: null});
  const isPossible = (/** @type {AskedFault} */ one) =>
    rows.some((row) => applies(one.name, row) && possibleFor(row, [one], notTried).length > 0);
  const idle = asked.find((one) => !isPossible(one));
  if (idle === undefined || !isAskedFor(origins.fault)) return notTried;
  const why = notTried.filter(({fault}) => fault === idle.name).map((one) => one.why);
  throw new UsageError(
    `--fault ${idle.name} is not possible here: ${why.join('; ')}. Leave it out, or measure another broker.`,
  );
}

/** Returns an upper bound of the duration of a load. @param {FaultSettings} settings */
export function mostLoadSeconds(settings) {
  const {fault, restartAfterMs} = settings.values;
  return Math.max(
    ...fault.map((asked) => {
      // After a silent network, the load needs the same time again to recover.
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
