import {coralmq} from './coralmq.js';
import {enduroxBenchmarks} from './endurox-benchmarks.js';
import {enduroxVsRabbitmq} from './endurox-vs-rabbitmq.js';
import {perfBattle2016} from './perf-battle-2016.js';
import {socketproPresets} from './socketpro.js';

/** @import {Preset} from './preset.js' */

export {refusePreset} from './refuse-preset.js';
export {scaleLength} from './scale-length.js';

/** @type {Readonly<Record<string, Preset>>} */
export const presets = Object.fromEntries(
  [perfBattle2016, ...enduroxVsRabbitmq, ...enduroxBenchmarks, coralmq, ...socketproPresets].map((preset) => [
    preset.name,
    preset,
  ]),
);

export const presetNames = Object.keys(presets);
