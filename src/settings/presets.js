import {presetSettings} from '../presets/index.js';

/** @import {BattleValues} from './index.js' */

/**
 * @template Own
 * @typedef {Own extends unknown ? keyof Own : never} KeyOfAny
 */

/**
 * Holds the settings of presets against the catalogue: a misspelt key, and a value that no option has, are type errors.
 * @template {Partial<BattleValues>} Own
 * @param {readonly {name: string, settings: Own & {[Unknown in Exclude<KeyOfAny<Own>, keyof BattleValues>]: never}}[]} presets
 * @returns {ReadonlyMap<string, Partial<BattleValues>>} by the preset's name
 */
export function settingsByPreset(presets) {
  return new Map(presets.map(({name, settings}) => [name, settings]));
}

/** What each preset says in the place of defaults, by its name. */
export const settingsOfPresets = settingsByPreset(presetSettings);
