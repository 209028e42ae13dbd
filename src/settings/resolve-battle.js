import {nameOfVariant} from '../columns/names.js';
import {UsageError} from '../errors.js';
import {automaticWarmUp} from '../measure/warm-up.js';
import {isAskedFor, overlay} from '../options/resolve.js';
import {payloadFileSize} from '../payload/bytes.js';
import {drawSeed} from '../payload/random.js';
import {faultPresetNamed} from '../presets/faults.js';
import {
  allPresets,
  ofAllTransports,
  presetSettings,
  presetSettingsOfToday,
  presets,
  refusePreset,
} from '../presets/index.js';
import {transportNamed, transports, transportsOfGroup} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {checkGivenFiles, resolveBroker, withSettingsOfUrls} from './broker-settings.js';

/**
 * @import {Option, Origin, Settings} from '../options/contract.js'
 * @import {Programs} from '../transports/external/index.js'
 * @import {AnyVariant, Transport} from '../transports/transport.js'
 * @import {BattleSettings, BattleValues} from './index.js'
 */

/** The defaults of --quick. In 3 s, slow transports are not warm, but a first look is short. The intervals apply only if neither --precision nor --budget is given. */
const quickValues = {
  durationMs: 200,
  warmUp: {...automaticWarmUp, maximumMs: 3000, mediumTurnMs: automaticWarmUp.turnMs},
};
const quickIntervals = {precision: 0.1, budgetMs: 23_000};

/**
 * Derives the settings of a battle from the given options. The function is pure: each step returns new settings.
 * @param {BattleSettings} asked
 * @param {{payloadFileBytes: number | null, seed: number}} given payloadFileBytes: the size of the payload file, null without a file; seed: used
 *   if no seed was given
 * @throws {UsageError} when options exclude each other
 */
export function resolveBattle(asked, {payloadFileBytes, seed}) {
  refuseContradictions(asked);
  refuseEqualNames(asked);
  const derived = steps.reduce((settings, step) => step(settings), asked);
  const seeded = overlay(derived, {seed}, {kind: 'default', name: 'drawn'});
  return withPayloadFile(seeded, payloadFileBytes);
}

/** Each step sees what the steps before it have derived. @type {readonly ((settings: BattleSettings) => BattleSettings)[]} */
const steps = [
  withPreset,
  withAll,
  withImpliedTransports,
  withQuickValues,
  withRounds,
  withImpliedWorkload,
  withLength,
  withAProcessOnEachHost,
  resolveBroker,
  withOneSize,
];

/** @param {BattleSettings} asked */
function refuseContradictions({values, origins}) {
  if (isAskedFor(origins.precision) && isAskedFor(origins.rounds)) {
    throw new UsageError(
      `${origins.precision.name} and ${origins.rounds.name} exclude each other: with a precision, the intervals determine the number of rounds.`,
    );
  }
  if (values.payloadFile !== null && isAskedFor(origins.payloadBytes)) {
    throw new UsageError(
      `${origins.payloadFile.name} and ${origins.payloadBytes.name} exclude each other: the file sets the size.`,
    );
  }
}

/** @param {BattleSettings} settings */
function withPreset(settings) {
  const {preset: name, transport} = settings.values;
  if (name === null) return settings;
  if (name === allPresets)
    throw new UsageError(
      `${settings.origins.preset.name} ${name} is several battles, and this command runs one. Name one preset.`,
    );
  if (faultPresetNamed(name))
    throw new UsageError(
      `${settings.origins.preset.name} ${name} is a run of faults, and this command does none. Use perf-battle faults --preset ${name}.`,
    );
  const preset = presets[name];
  refusePreset(preset, {transport: isAskedFor(settings.origins.transport) ? transport : null});
  return overlay(settings, settingsOfPresets.get(name) ?? {}, {kind: 'preset', name: `--preset ${name}`});
}

/** A battle of all transports has other defaults, unless it has those of a preset, or a rate. @param {BattleSettings} settings */
function withAll(settings) {
  const {transport, preset, rate} = settings.values;
  const all = transportsOfGroup('all', []) ?? [];
  const isOther = preset !== null || rate !== null;
  if (isOther || !all.every((name) => transport.includes(name))) return settings;
  const values = /** @type {Partial<BattleValues>} */ (/** @type {unknown} */ (ofAllTransports));
  return overlay(settings, values, {kind: 'preset', name: `${settings.origins.transport.name} all`});
}

/** An option such as --external adds its transport to the other transports. @param {BattleSettings} settings */
function withImpliedTransports(settings) {
  const {values} = settings;
  /** @type {Readonly<Record<string, Origin>>} */
  const origins = settings.origins;
  const implied = transports.filter(
    ({impliedBy}) => impliedBy !== undefined && isAskedFor(origins[impliedBy]),
  );
  const names = /** @type {BattleValues['transport']} */ (implied.map(({name}) => name));
  return {...settings, values: {...values, transport: [...new Set([...values.transport, ...names])]}};
}

/** @param {BattleSettings} settings */
function withQuickValues(settings) {
  const {values, origins} = settings;
  if (!values.quick) return settings;
  const isOpen = !isAskedFor(origins.precision) && !isAskedFor(origins.budgetMs);
  const intervals = isOpen ? quickIntervals : {};
  return overlay(settings, {...quickValues, ...intervals}, {kind: 'default', name: '--quick'});
}

/**
 * A number of rounds, also from a preset, unsets the default precision and the default budget. A precision that the user gave unsets the number
 * of rounds of a preset.
 * @param {BattleSettings} settings
 */
function withRounds(settings) {
  const {values, origins} = settings;
  if (values.rounds === null) return settings;
  if (isAskedFor(origins.precision))
    return overlay(settings, {rounds: null}, {kind: 'preset', name: origins.precision.name});
  return overlay(settings, {precision: null, budgetMs: null}, {kind: 'preset', name: origins.rounds.name});
}

/** An option such as --find-max-rate implies its workload, unless the user chose a workload. @param {BattleSettings} settings */
function withImpliedWorkload(settings) {
  /** @type {Readonly<Record<string, Origin>>} */
  const origins = settings.origins;
  const implied = Object.values(workloads).find(
    ({impliedBy}) => impliedBy !== undefined && isAskedFor(origins[impliedBy]),
  );
  if (implied?.impliedBy === undefined) return settings;
  const values = /** @type {Partial<BattleValues>} */ ({workload: [implied.name]});
  return overlay(settings, values, {kind: 'preset', name: origins[implied.impliedBy].name});
}

/**
 * A trial ends after its samples or its duration, whichever is reached first. A number of samples replaces the default duration.
 * @param {BattleSettings} settings
 */
function withLength(settings) {
  const {values, origins} = settings;
  if (values.samples === null) return settings;
  return overlay(settings, {durationMs: null}, {kind: 'default', name: origins.samples.name});
}

/** The default number of clients or servers is the number of their hosts, so that each host takes part. @param {BattleSettings} settings */
function withAProcessOnEachHost(settings) {
  const {clientOn, serverOn} = settings.values;
  const {origins} = settings;
  const clients = clientOn && clientOn.length > 1 ? {clients: [clientOn.length]} : {};
  const servers = serverOn && serverOn.length > 1 ? {servers: [serverOn.length]} : {};
  const withClients = overlay(settings, clients, {kind: 'preset', name: origins.clientOn.name});
  return overlay(withClients, servers, {kind: 'preset', name: origins.serverOn.name});
}

/**
 * Requests without a payload are the same for each size, so the default is the first size alone. The sizes of a preset stay, because they are
 * compared with published ones.
 * @param {BattleSettings} settings
 */
function withOneSize(settings) {
  const {values} = settings;
  const variant = /** @type {AnyVariant} */ (/** @type {unknown} */ (values));
  const bare = values.transport.map(transportNamed).find(({sendsNoPayload}) => sendsNoPayload?.(variant));
  if (bare === undefined) return settings;
  const payloadBytes = values.payloadBytes.slice(0, 1);
  const kind = values.preset === null ? 'preset' : 'default';
  return overlay(settings, {payloadBytes}, {kind, name: 'requests without a payload'});
}

/** @param {BattleSettings} settings @param {number | null} bytes */
function withPayloadFile(settings, bytes) {
  if (bytes === null) return settings;
  return overlay(
    settings,
    {payloadBytes: [bytes]},
    {kind: 'preset', name: settings.origins.payloadFile.name},
  );
}

/**
 * The user names the rows of programs. Rows with equal names cannot be distinguished, and expectations ignore the case of names.
 * @param {BattleSettings} asked
 */
function refuseEqualNames(asked) {
  /** @type {Settings} */
  const {values, origins} = asked;
  for (const {runsPrograms, impliedBy = ''} of transports) {
    if (!runsPrograms) continue;
    const pairs = /** @type {readonly Programs[] | null} */ (values[impliedBy]) ?? [];
    const names = pairs.map(({name}) => normalized(name));
    const repeated = pairs.find((_, index) => names.indexOf(names[index]) < index);
    if (repeated !== undefined)
      throw new UsageError(
        `${origins[impliedBy].name} has two pairs named "${repeated.name}". Give each a name of its own.`,
      );
    const ours = namesOfOurs();
    const taken = pairs.find(({name}) => ours.has(normalized(name)));
    if (taken !== undefined)
      throw new UsageError(
        `${origins[impliedBy].name} has a pair named "${taken.name}", which is the name of rows of perf-battle's own transports. Give it a name of its own, such as "My ${taken.name}".`,
      );
  }
}

/** @param {string} name */
function normalized(name) {
  return name.trim().replace(/\s+/g, ' ').toLowerCase();
}

/** The names of rows of perf-battle's transports: with defaults, and with each choice of a setting that has choices. */
function namesOfOurs() {
  const own = transports.flatMap((transport) =>
    transport.runsPrograms ? [transport.name, transport.label] : [transport.name, ...namesOf(transport)],
  );
  return new Set(own.map(normalized));
}

/** @param {Transport} transport */
function namesOf({label, options, qualifier}) {
  const some = /** @type {readonly Option[]} */ (options);
  const defaults = Object.fromEntries(some.map((option) => [option.key, option.default]));
  const variants = some.flatMap(({key, type, label: labelOf}) =>
    (type.choices ?? []).map((text) => {
      const value = type.parse(text);
      return {variant: {...defaults, [key]: value}, setting: labelOf?.(value) ?? null};
    }),
  );
  return [label, ...variants.flatMap(({variant, setting}) => namesOfRow(variant, setting))];

  /** @param {AnyVariant} variant @param {string | null} setting */
  function namesOfRow(variant, setting) {
    const name = {facilitator: label, qualifier: qualifier?.(variant) ?? null, settings: []};
    return [
      nameOfVariant(name),
      ...(setting === null ? [] : [nameOfVariant({...name, settings: [setting]})]),
    ];
  }
}

/**
 * Checks the files that settings name, and derives the rest of the settings.
 * @template {BattleSettings} Whole @param {Whole} given @param {readonly Option[]} mine the options that may be given
 */
export function completeSettings(given, mine) {
  const asked = withSettingsOfUrls(given);
  checkGivenFiles(mine, asked, {hasBothEnds: true});
  const {payloadFile} = asked.values;
  const payloadFileBytes = payloadFile === null ? null : payloadFileSize(payloadFile);
  return /** @type {Whole} */ (resolveBattle(asked, {payloadFileBytes, seed: drawSeed()}));
}

/** @template Own @typedef {Own extends unknown ? keyof Own : never} KeyOfAny */

/**
 * Checks the settings of presets against the options: a misspelt key and a value that no option allows are type errors.
 * @template {Partial<BattleValues>} Own
 * @param {readonly {name: string, settings: Own & {[Unknown in Exclude<KeyOfAny<Own>, keyof BattleValues>]: never}}[]} presets
 * @returns {ReadonlyMap<string, Partial<BattleValues>>} by the preset's name
 */
export function settingsByPreset(presets) {
  return new Map(presets.map(({name, settings}) => [name, settings]));
}

export const settingsOfPresets = settingsByPreset(presetSettings);

/** The settings that differ in the second set of cells, by the preset's name. */
export const settingsOfToday = settingsByPreset(presetSettingsOfToday);
