import {UsageError} from '../errors.js';

/** @import {Preset} from './preset.js' */

/**
 * Refuses a preset when the person leaves out a transport that it needs.
 *
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
