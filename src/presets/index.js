import {coralmq} from './coralmq.js';
import {enduroxBenchmarks} from './endurox-benchmarks.js';
import {enduroxVsRabbitmq} from './endurox-vs-rabbitmq.js';
import {perfBattle2016} from './perf-battle-2016.js';
import {socketproPresets} from './socketpro.js';

/** @import {Preset} from './preset.js' */

export {refusePreset} from './refuse-preset.js';
export {scaleLength} from './scale-length.js';

const registry = [perfBattle2016, ...enduroxVsRabbitmq, ...enduroxBenchmarks, coralmq, ...socketproPresets];

/** @type {Readonly<Record<string, Preset>>} */
export const presets = Object.fromEntries(registry.map((preset) => [preset.name, preset]));

/** The settings of each preset, instead of defaults. */
export const presetSettings = registry.map(({name, settings}) => ({name, settings}));

/** What differs in the second set of cells of a preset that has one. */
export const presetSettingsOfToday = registry.flatMap(({name, today}) =>
  today === undefined ? [] : [{name, settings: today}],
);

export const presetNames = registry.map(({name}) => name);

/** In place of a name: a battle for each preset. */
export const allPresets = 'all';
