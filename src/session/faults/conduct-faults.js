import {randomUUID} from 'node:crypto';
import {UsageError} from '../../errors.js';
import {concludeFaults} from '../../faults/conclude.js';
import {faultNamed} from '../../faults/faults.js';
import {isAskedFor, overlay} from '../../options/resolve.js';
import {readFingerprint} from '../../results/fingerprint.js';
import {transportNamed} from '../../transports/index.js';
import {readVersions} from '../versions.js';
import {applies, rowsOf} from './rows.js';
import {runFaults} from './run-faults.js';

/**
 * @import {Conclusion, FoundFaults, NotTried, Row} from '../../faults/found.js'
 * @import {Fingerprint} from '../../results/fingerprint.js'
 * @import {FaultPreset} from '../../presets/faults.js'
 * @import {FaultSettings} from '../../settings/index.js'
 * @import {LoadSettings} from './load.js'
 */

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
 * @property {{runId: string, startedAt: string, seed: number} & LoadSettings} run
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
  const load = {
    rate: only(values.rate, '--rate') ?? defaultRate,
    window: only(values.window, '--window') ?? defaultWindow,
    resend: values.resend,
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
  const own = /** @type {any} */ ({...defaults, ...preset?.settings});
  const settings = overlay(asked, own, origin);
  const {transport: names, allSettings} = settings.values;
  const declared = names.flatMap((name) => transportNamed(name).guarantees ?? []);
  const values = Object.assign({}, ...declared.map(({usual, all}) => (allSettings ? all : usual)));
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
  const run = {runId, startedAt, seed: settings.values.seed, ...load};
  const save = (/** @type {object} */ done) => append({kind: 'fault', ...run, ...done});
  const found = await runFaults({id: runId, rows, settings, load, note, save, signal});
  const conclusions = concludeFaults(found);
  const versions = {...(await readVersions()), ...found.versions};
  await append(...conclusions.map((one) => ({kind: 'faults', ...run, host, versions, ...one})));
  return {run, host, versions, found, conclusions};
}

/**
 * What --json prints of a run.
 * @param {FinishedFaults} finished @returns {FaultsDocument}
 *
 * @typedef {{faults: FinishedFaults['run'] & Pick<FinishedFaults, 'host' | 'versions'> & {notTried: NotTried[]}, rows: Conclusion[]}} FaultsDocument
 */
export function documentOfFaults({run, host, versions, found, conclusions}) {
  return {faults: {...run, host, versions, notTried: found.notTried}, rows: conclusions};
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

/** Why a fault has no target, by what it is done to. */
const targetless = {
  broker: 'no row has a broker, or a queue on it',
  node: 'no row has a cluster of enough nodes (--broker-nodes 3)',
  server: 'no row has a server (--workload rtt)',
  connection: 'no row has a connection',
  network: 'no row has a network',
};

/** @param {readonly number[] | null} values @param {string} flag */
function only(values, flag) {
  if (values === null) return null;
  if (values.length > 1) throw new UsageError(`faults takes one ${flag}.`);
  return values[0];
}
