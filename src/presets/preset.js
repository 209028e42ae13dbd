/**
 * @import {WarmUp} from '../measure/types.js'
 * @import {Preset} from './types.js'
 */

/**
 * Declares a preset. The settings keep their inferred type, so that the type checker can compare them with the options.
 * @template {Readonly<Record<string, unknown>>} const Own @param {Preset<Own>} declared
 */
export function preset(declared) {
  return declared;
}

/** @param {number} count the number of warm-up messages @returns {WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
