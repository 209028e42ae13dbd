import {UsageError} from '../errors.js';
import {automaticWarmUp} from '../measure/warm-up.js';
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

/** The settings of each preset, which replace defaults. */
export const presetSettings = registry.map(({name, settings}) => ({name, settings}));

/** The settings that differ in the second set of cells, for presets with such a set. */
export const presetSettingsOfToday = registry.flatMap(({name, today}) =>
  today === undefined ? [] : [{name, settings: today}],
);

export const presetNames = registry.map(({name}) => name);

/** The value of --preset that runs a battle for each preset. */
export const allPresets = 'all';

/**
 * Refuses a preset if the user's transports lack a transport that the preset needs.
 * @param {Pick<Preset, 'name' | 'needs'>} preset
 * @param {{transport: readonly string[] | null}} asked transport: the transports that the user named, or null @throws {UsageError}
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
 * Multiplies the numbers of samples and of warm-up messages by the scale. A trial keeps at least 10 samples, or all if it has fewer.
 * @template {{samples: number | null, warmUp: WarmUp}} Length @param {Length} length @param {number} scale from 0 to 1 @returns {Length}
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
 * The settings of a battle of all transports, which replace defaults. It is a first look: most of a round is the start and the warm-up of sixty pairs on
 * the same cores, and five rounds took 15 min there. The verdicts show whether warm-up and measurement are too short.
 */
export const ofAllTransports = {
  workload: ['rtt', 'pipeline'],
  window: [16],
  payloadBytes: [1024, 100 * 1024],
  quick: true,
  // The starts of brokers and the end come on top: with 12 min, a battle took 12 min 4 s.
  budgetMs: 11.5 * 60_000,
  warmUp: {...automaticWarmUp, requests: 3000, maximumMs: 3000},
};
