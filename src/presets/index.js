import {UsageError} from '../errors.js';
import {quickWarmUp} from '../measure/warm-up.js';
import {coralmq} from './coralmq.js';
import {enduroxBenchmarks} from './endurox-benchmarks.js';
import {enduroxVsRabbitmq} from './endurox-vs-rabbitmq.js';
import {perfBattle2016} from './perf-battle-2016.js';
import {socketproPresets} from './socketpro.js';

/**
 * @import {WarmUp} from '../measure/types.js'
 * @import {Preset} from './types.js'
 */

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

/**
 * Refuses a preset when the person leaves out a transport that it needs.
 * @param {Pick<Preset, 'name' | 'needs'>} preset
 * @param {{transport: readonly string[] | null}} asked what the person asked for; null: nothing
 * @throws {UsageError}
 */
export function refusePreset({name, needs}, {transport}) {
  const missing = transport === null ? [] : needs.filter((need) => !transport.includes(need));
  if (missing.length === 0) return;
  throw new UsageError(
    `--preset ${name} needs the transport ${missing.join(' and ')}; --transport ${transport} leaves it out. Add it, or choose another preset: --list-presets.`,
  );
}

/** Fewer samples give no useful figure. */
const minSamples = 10;

/**
 * A shorter trial of the same shape: the number of samples, and of warm-up messages, times the scale. At least 10 samples,
 * but never more than without the scale.
 * @template {{samples: number | null, warmUp: WarmUp}} Length
 * @param {Length} length @param {number} scale from 0 to 1
 * @returns {Length}
 */
export function scaleLength(length, scale) {
  const {samples, warmUp} = length;
  return {
    ...length,
    samples: samples === null ? null : Math.min(samples, Math.max(minSamples, Math.round(samples * scale))),
    warmUp: warmUp.kind === 'count' ? {...warmUp, count: scaleCount(warmUp.count, scale)} : warmUp,
  };
}

/** @param {number} count @param {number} scale */
function scaleCount(count, scale) {
  return Math.min(count, Math.round(count * scale));
}

/**
 * What a battle of all transports runs, and how long it may take, instead of defaults. Most of a round is the start and the warm-up of more than fifty
 * pairs on the same cores, so both warm-up and measurement are shorter; the verdicts say if they were too short.
 */
export const ofAllTransports = {
  workload: ['rtt', 'pipeline'],
  window: [16],
  payloadBytes: [1024, 100 * 1024],
  budgetMs: 12 * 60_000,
  durationMs: 300,
  warmUp: {...quickWarmUp, requests: 3000},
};
