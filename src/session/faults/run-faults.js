import {whyNoDisk} from '../../brokers/disk.js';
import {brokerKindNamed} from '../../brokers/index.js';
import {provisionBroker} from '../../brokers/provision.js';
import {failureOf} from '../../errors.js';
import {faultNamed} from '../../faults/faults.js';
import {whyNoCut} from './cut-connections.js';
import {FaultPhases} from './phases.js';
import {applies} from './rows.js';

/**
 * @import {Broker, BrokerSettings} from '../../brokers/kind.js'
 * @import {FaultName} from '../../faults/faults.js'
 * @import {FoundFaults, FoundOfRow, NotTried, Row} from '../../faults/found.js'
 * @import {FaultRun} from './phases.js'
 */

/** RabbitMQ needs some 50 MB for itself, and 50 MB must stay free. */
const leastDiskBytes = 768 * 1024 ** 2;
/** The image is sparse, but a file system of any size has tables. */
const mostDiskBytes = 16 * 1024 ** 3;
/** What a broker writes for a message, and the time of a load with its faults, both ample. */
const writtenPerByte = 3;
const secondsPerTry = 15;

/**
 * Does faults to the parts of each row under a steady load, and accounts for every message. The brokers are private ones, which are removed at the end.
 * @param {FaultRun} run
 * @returns {Promise<FoundFaults>} without a broker, only the rows that need it fail
 */
export async function runFaults(run) {
  const {rows, settings, signal} = run;
  const noDisk = await whyNoDisk();
  const asked = settings.values.fault.filter((name) => rows.some((row) => applies(name, row)));
  const notTried = await findImpossible(asked, {rows, noDisk});
  const tried = asked.filter((name) => notTried.every(({fault}) => fault !== name));
  /** @type {FoundOfRow[]} */
  const found = rows.map((row) => ({row, evidence: null, faults: [], error: null}));
  /** @type {Record<string, string | null>} */
  const versions = {};
  for (const own of groupsOf(found)) {
    const [{row}] = own;
    /** @type {Broker | null} */
    let broker = null;
    try {
      broker =
        row.broker === null
          ? null
          : await startBroker(row.broker, row.brokerSettings, {run, hasDisk: noDisk === null});
      Object.assign(versions, broker?.versions);
      await new FaultPhases(run, {broker, hasDisk: noDisk === null, own}).run(tried);
    } catch (error) {
      signal.throwIfAborted();
      for (const one of own) one.error ??= failureOf(error);
    } finally {
      await broker?.release();
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
 * @param {readonly FaultName[]} asked
 * @param {{rows: readonly Row[], noDisk: string | null}} here noDisk: why there is none
 * @returns {Promise<NotTried[]>}
 */
async function findImpossible(asked, {rows, noDisk}) {
  const noCut = await whyNoCut();
  const kinds = [...new Set(rows.flatMap(({broker}) => broker ?? []))].map(brokerKindNamed);
  const drivers = await Promise.all(kinds.map((kind) => kind.load()));
  const silent = kinds.filter((_, index) => !drivers[index].readAlarm).map(({label}) => label);
  return asked.flatMap((fault) => {
    const {isCut, untilAlarm, target} = faultNamed(fault);
    if (untilAlarm && silent.length > 0)
      return [{fault, why: `${silent.join(' and ')} does not say whether it takes messages`}];
    const needed = isCut || untilAlarm ? noDisk : target === 'connection' ? noCut : null;
    return needed === null ? [] : [{fault, why: `it needs ${needed}`}];
  });
}

/**
 * @param {string} name
 * @param {BrokerSettings} brokerSettings
 * @param {{run: FaultRun, hasDisk: boolean}} where
 */
async function startBroker(name, brokerSettings, {run, hasDisk}) {
  const {rows, settings, load, note, signal} = run;
  const kind = brokerKindNamed(name);
  const seconds = settings.values.tries * secondsPerTry;
  const sentBytes = load.rate * seconds * rows.length * (rows[0]?.payloadBytes ?? 0);
  const diskBytes = Math.min(mostDiskBytes, leastDiskBytes + writtenPerByte * sentBytes);
  return await provisionBroker(kind, {
    ...{choice: 'private', given: null, settings: brokerSettings, log: note, signal},
    ...(hasDisk && {diskBytes}),
  });
}
