import {UsageError} from '../errors.js';
import {isAskedFor, overlay} from '../options/resolve.js';
import {presets, scaleLength} from '../presets/index.js';
import {firstMs} from '../settings/common-options.js';
import {settingsOfToday} from '../settings/resolve-battle.js';
import {groupBy} from '../stats/numbers.js';
import {floorTransport, isOfWholeGroup, transportNamed} from '../transports/index.js';
import {workloads} from '../workloads/index.js';
import {checkEffects} from './effects.js';
import {isSliced} from './slices.js';
import {labelsOf, variantsOf} from './variants.js';

/**
 * @import {BattleSettings} from '../settings/index.js'
 * @import {Side, Variant} from '../settings/types.js'
 * @import {Workload} from '../workloads/workload.js'
 * @import {Cell, Length} from './types.js'
 */

/**
 * Plans the cells of a battle. Raw TCP, the floor, has a cell for every workload that it supports.
 * @param {BattleSettings} settings @returns {Cell[]}
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

/** A preset may have two sets of cells. Settings that the user gave apply to both sets. @param {BattleSettings} settings */
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
 * Returns the transports that support the workload. A transport that the user named must support it, unless as part of a group.
 * @param {Workload} workload @param {readonly string[]} asked @param {BattleSettings} settings
 */
function transportsFor(workload, asked, {origins}) {
  const isUnable = (/** @type {string} */ name) => missingCapability(name, workload) !== undefined;
  const areAllUnable = asked.every(isUnable);
  const unable = asked.find((name) => isUnable(name) && (areAllUnable || !isOfWholeGroup(name, asked)));
  if (unable && origins.transport.kind !== 'default') {
    const {impliedBy = `transport ${unable}`} = transportNamed(unable);
    throw new UsageError(
      `--workload ${workload.name} is not supported by --${impliedBy}, which cannot ${missingCapability(unable, workload)}.`,
    );
  }
  return [...new Set([floorTransport.name, ...asked])]
    .filter((name) => missingCapability(name, workload) === undefined)
    .map(transportNamed);
}

/**
 * Names the transports of a group that do not support a workload.
 * @param {Pick<BattleSettings, 'values' | 'origins'>} settings @returns {string[]} a sentence for each workload; empty for the default transports
 */
export function describeLeftOut({values, origins}) {
  if (origins.transport.kind === 'default') return [];
  return values.workload.flatMap((name) => {
    const unable = values.transport.filter((one) => missingCapability(one, workloads[name]) !== undefined);
    return unable.length > 0
      ? [`Without --workload ${name}, which they do not support: ${unable.join(', ')}.`]
      : [];
  });
}

/** @param {string} name of a transport @param {Workload} workload @returns the first capability that the workload needs and the transport lacks */
export function missingCapability(name, {needs}) {
  const {capabilities} = transportNamed(name);
  return needs.find((need) => !capabilities.includes(need));
}

/**
 * @param {Workload} workload @param {BattleSettings} settings
 * @returns {{payloadBytes: number, variant: Record<string, unknown>}[]}
 */
function sizesOf(workload, {values}) {
  if (workload.sizes) return workload.sizes(values);
  return values.payloadBytes.map((payloadBytes) => ({payloadBytes, variant: {}}));
}

/**
 * @param {BattleSettings} settings
 * @param {Pick<Cell, 'transport' | 'workload' | 'payloadBytes' | 'variant'>} cell
 */
function lengthOf(settings, cell) {
  const length = wholeLengthOf(settings, cell);
  const inSlices = isSliced({...cell, length}, settings.values);
  const isOpen = inSlices && length.durationMs !== null && !isAskedFor(settings.origins.durationMs);
  return {...length, inSlices, ...(isOpen && {durationMs: settings.values.durationMs ?? firstMs, isOpen})};
}

/** The default duration of a trial that is not measured in slices. */
const defaultDurationMs = 1000;

/**
 * Returns the length of a cell's trial: the user's, otherwise the preset's, otherwise the workload's.
 * @param {BattleSettings} settings @param {Pick<Cell, 'workload' | 'payloadBytes' | 'variant'>} cell
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
  // `withScale` (battle/estimate.js) has replaced auto by a number.
  const scaled = scaleLength(ofPreset, Number(scale));
  return {...scaled, durationMs: null, warmUp: isAskedFor(origins.warmUp) ? warmUp : scaled.warmUp};
}

/** @typedef {Omit<Cell, 'number'>} Planned */

/**
 * Plans the cells of a comparison of two sides. A cell that differs between the sides is planned once for each side, and a second time for the first
 * side. The two equal cells show how much equal sides differ in the same rounds. Raw TCP is the floor of all cells.
 * @param {readonly Side[]} sides a, a again, and b
 * @param {BattleSettings} settings @param {(settings: BattleSettings) => Planned[]} plan
 * @throws {UsageError} when a side has a setting without effect, or the sides do not have the same cells, or do not differ
 */
function planSides(sides, settings, plan) {
  const planned = sides.map((side) => ({side, cells: cellsOf(side, settings, plan)}));
  const floors = planned.flatMap(({cells}) => cells.filter(isFloor));
  const [one, again, other] = planned.map(({side, cells}) => ({
    side,
    cells: cells.filter((cell) => !isFloor(cell)),
  }));
  if (one.cells.length !== other.cells.length)
    throw new UsageError(
      'The sides do not have the same cells, so they cannot be compared pair by pair. A setting that one side names may have several values by default: name it on the other side, too.',
    );
  const differs = one.cells.map((cell, index) =>
    isDifferent(cell, other.cells[index], [one.side, other.side]),
  );
  if (!differs.includes(true))
    throw new UsageError(
      'The sides do not differ in any cell. Name a --transport that their settings apply to; raw TCP is the floor of both.',
    );
  const ofSides = [one, again, other].flatMap(({side, cells}) =>
    cells.filter((_, index) => differs[index]).map((cell) => ofSide(cell, side)),
  );
  return [...floors, ...ofSides];
}

/** @param {Side} side @param {BattleSettings} settings @param {(settings: BattleSettings) => Planned[]} plan */
function cellsOf(side, settings, plan) {
  const ofSide = withSide(settings, side);
  const cells = plan(ofSide);
  checkEffects(ofSide, cells, (key) => key in side.origins);
  return cells;
}

/** @param {BattleSettings} settings @param {Side} side @returns {BattleSettings} */
function withSide(settings, {values, origins}) {
  return {...settings, values: {...settings.values, ...values}, origins: {...settings.origins, ...origins}};
}

/** @param {Planned} cell */
function isFloor({transport}) {
  return transport === floorTransport.name;
}

/** @param {Planned} one @param {Planned} other @param {readonly Side[]} sides */
function isDifferent(one, other, sides) {
  const keyOf = (/** @type {Planned} */ {transport, workload, payloadBytes}) =>
    JSON.stringify([transport, workload, payloadBytes]);
  if (keyOf(one) !== keyOf(other))
    throw new UsageError('The sides do not have the same cells, so they cannot be compared pair by pair.');
  const [program, otherProgram] = sides.map((side) => JSON.stringify(side.program));
  return program !== otherProgram || JSON.stringify(one.variant) !== JSON.stringify(other.variant);
}

/** @param {Planned} cell @param {Side} side @returns {Planned} */
function ofSide(cell, {name, program}) {
  const variant = {...cell.variant, side: name, ...program};
  return {
    ...cell,
    variant,
    labels: labelsOf(transportNamed(cell.transport), variant, workloads[cell.workload]),
  };
}
