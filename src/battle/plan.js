import {UsageError} from '../errors.js';
import {isAskedFor, overlay} from '../options/resolve.js';
import {presets, scaleLength} from '../presets/index.js';
import {settingsOfToday} from '../settings/presets.js';
import {groupBy} from '../stats/numbers.js';
import {floorTransport, transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {labelsOf} from './labels.js';
import {planSides} from './plan-sides.js';
import {firstMs, isSliced} from './slices.js';
import {variantsOf} from './variants.js';

/**
 * @import {BattleSettings, Variant} from '../settings/index.js'
 * @import {Workload} from '../workloads/workload.js'
 * @import {Cell, Length} from './cell.js'
 */

/**
 * Plans the cells of a battle from its settings. The raw TCP floor is among them for every workload that it supports.
 *
 * @param {BattleSettings} settings
 * @returns {Cell[]}
 * @throws {UsageError} when a transport does not support a workload, or refuses a combination of settings that the user asked for
 */
export function planCells(settings) {
  const cells = settings.values.workload.flatMap((name) => {
    const workload = workloads[name];
    const plan = (/** @type {BattleSettings} */ some) =>
      cellsOfWorkload(workload, some.values.transport, some);
    const {sides} = settings;
    return bySize(sides ? planSides(sides, settings, plan) : setsOf(settings).flatMap(plan));
  });
  return withoutRepeats(cells).map((cell, index) => ({number: index + 1, ...cell}));
}

/** A preset may have two sets of cells. Settings that the person gave are those of both. @param {BattleSettings} settings */
function setsOf(settings) {
  const {preset} = settings.values;
  const today = preset === null ? undefined : settingsOfToday.get(preset);
  const origin = {kind: /** @type {const} */ ('preset'), name: `--preset ${preset}`};
  return today === undefined ? [settings] : [settings, overlay(settings, today, origin)];
}

/** @template {Pick<Cell, 'payloadBytes'>} One @param {readonly One[]} cells @returns {One[]} in their order within each size */
function bySize(cells) {
  return [...groupBy(cells, ({payloadBytes}) => payloadBytes).values()].flat();
}

/** @template {Omit<Cell, 'number'>} One @param {readonly One[]} cells */
function withoutRepeats(cells) {
  const keyOf = (/** @type {One} */ {transport, workload, payloadBytes, variant}) =>
    JSON.stringify([transport, workload, payloadBytes, variant]);
  return [...new Map(cells.map((cell) => [keyOf(cell), cell])).values()];
}

/**
 * @param {Workload} workload
 * @param {readonly string[]} asked names of transports
 * @param {BattleSettings} settings
 * @returns {Omit<Cell, 'number'>[]} by payload, then by transport
 */
function cellsOfWorkload(workload, asked, settings) {
  const transports = transportsFor(workload, asked, settings);
  const variants = transports.flatMap((transport) => variantsOf(transport, workload, settings));
  return sizesOf(workload, settings).flatMap(({payloadBytes, variant: ofSize}) =>
    variants.map(({transport, variant}) => {
      const whole = /** @type {Variant} */ ({...variant, ...ofSize});
      return {
        transport: transport.name,
        variant: whole,
        workload: workload.name,
        payloadBytes,
        length: lengthOf(settings, {
          transport: transport.name,
          workload: workload.name,
          payloadBytes,
          variant: whole,
        }),
        labels: labelsOf(transport, whole, workload),
        ...(transport.module && {module: transport.module}),
      };
    }),
  );
}

/**
 * The transports that support the workload. One that the user named must support it.
 * @param {Workload} workload
 * @param {readonly string[]} asked
 * @param {BattleSettings} settings
 */
function transportsFor(workload, asked, {origins}) {
  const unable = asked.find((name) => missingCapability(name, workload) !== undefined);
  if (unable && origins.transport.kind !== 'default') {
    throw new UsageError(
      `--workload ${workload.name} is not supported by --transport ${unable}, which cannot ${missingCapability(unable, workload)}.`,
    );
  }
  return [...new Set([floorTransport.name, ...asked])]
    .filter((name) => missingCapability(name, workload) === undefined)
    .map(transportNamed);
}

/** @param {string} name @param {Workload} workload */
function missingCapability(name, {needs}) {
  const {capabilities} = transportNamed(name);
  return needs.find((need) => !capabilities.includes(need));
}

/**
 * @param {Workload} workload
 * @param {BattleSettings} settings
 * @returns {{payloadBytes: number, variant: Record<string, unknown>}[]}
 */
function sizesOf(workload, {values}) {
  if (workload.sizes) return workload.sizes(values);
  return values.payloadBytes.map((/** @type {number} */ payloadBytes) => ({payloadBytes, variant: {}}));
}

/**
 * @param {BattleSettings} settings
 * @param {Pick<Cell, 'transport' | 'workload' | 'payloadBytes' | 'variant'>} cell
 * @returns {Length}
 */
function lengthOf(settings, cell) {
  const length = wholeLengthOf(settings, cell);
  const inSlices = isSliced({...cell, length}, settings.values);
  const isOpen = inSlices && length.durationMs !== null && !isAskedFor(settings.origins.durationMs);
  return {...length, inSlices, ...(isOpen && {durationMs: settings.values.durationMs ?? firstMs, isOpen})};
}

/** Of a trial in one piece. */
const defaultDurationMs = 1000;

/**
 * The length of a trial of a cell: the user's, otherwise the preset's, otherwise the workload's.
 * @param {BattleSettings} settings
 * @param {Pick<Cell, 'workload' | 'payloadBytes' | 'variant'>} cell
 * @returns {Length}
 */
function wholeLengthOf({values, origins}, cell) {
  const {samples, durationMs, warmUp, preset, scale} = values;
  const ofPreset = preset === null ? null : presets[preset].lengthOf(cell);
  const given = isAskedFor(origins.samples) || isAskedFor(origins.durationMs);
  const {defaultSamples} = workloads[cell.workload];
  if (defaultSamples && (!ofPreset || given))
    return {samples: samples ?? defaultSamples, durationMs: null, warmUp};
  if (!ofPreset || given)
    return {samples, durationMs: samples === null ? (durationMs ?? defaultDurationMs) : durationMs, warmUp};
  // auto has been replaced by a number (battle/scale.js).
  const scaled = scaleLength(ofPreset, Number(scale));
  return {...scaled, durationMs: null, warmUp: isAskedFor(origins.warmUp) ? warmUp : scaled.warmUp};
}
