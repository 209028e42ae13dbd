import {presetSettings, presetSettingsOfToday} from '../presets/index.js';

/** @import {BattleValues} from './index.js' */

/**
 * @template Own
 * @typedef {Own extends unknown ? keyof Own : never} KeyOfAny
 */

/**
 * Checks the settings of presets against the options: a misspelt key and a value that no option allows are type errors.
 * @template {Partial<BattleValues>} Own
 * @param {readonly {name: string, settings: Own & {[Unknown in Exclude<KeyOfAny<Own>, keyof BattleValues>]: never}}[]} presets
 * @returns {ReadonlyMap<string, Partial<BattleValues>>} by the preset's name
 */
export function settingsByPreset(presets) {
  return new Map(presets.map(({name, settings}) => [name, settings]));
}

/** The settings of each preset, by its name. */
export const settingsOfPresets = settingsByPreset(presetSettings);

/** What differs in the second set of cells of a preset that has one, by its name. */
export const settingsOfToday = settingsByPreset(presetSettingsOfToday);
