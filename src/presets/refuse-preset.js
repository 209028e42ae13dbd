import {UsageError} from '../errors.js';

/** @import {Preset} from './preset.js' */

/**
 * A preset that makes no sense without a transport is refused when the person leaves it out.
 *
 * @param {Pick<Preset, 'name' | 'needs'>} preset
 * @param {{transport: readonly string[] | null}} asked what the person asked for; null: nothing
 * @throws {UsageError}
 */
export function refusePreset({name, needs}, {transport}) {
  const missing = transport === null ? [] : needs.filter((need) => !transport.includes(need));
  if (missing.length === 0) return;
  throw new UsageError(
    `--preset ${name} needs the transport ${missing.join(' and ')}; --transport ${transport} leaves it out. Name it too, or choose another preset: --list-presets.`,
  );
}
