import {UsageError} from '../../errors.js';
import {faultNamed, faultNames} from '../../faults/faults.js';
import {isAskedFor, overlay} from '../../options/resolve.js';
import {wholeTable} from '../../presets/faults.js';
import {transportNamed} from '../../transports/index.js';
import {refusePlaces} from './places.js';
import {applies, rowsOf, staysDown} from './rows.js';

/**
 * @import {AskedFault} from '../../faults/faults.js'
 * @import {Row} from '../../faults/found.js'
 * @import {FaultPreset} from '../../presets/types.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {LoadSettings} from './load.js'
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
  consumer: 'no row has a queue with a consumer',
  connection: 'no row has a connection',
  network: 'no row has a network',
};

/** @param {readonly number[] | null} values @param {string} flag */
function only(values, flag) {
  if (values === null) return null;
  if (values.length > 1) throw new UsageError(`faults takes one ${flag}.`);
  return values[0];
}
