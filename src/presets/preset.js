/**
 * @import {WarmUp} from '../measure/types.js'
 * @import {Preset} from './types.js'
 */

/**
 * Declares a preset. Its settings keep their inferred type, so that they can be checked against the options.
 * @template {Readonly<Record<string, unknown>>} const Own
 * @param {Preset<Own>} declared @returns {Preset<Own>}
 */
export function preset(declared) {
  return declared;
}

/** @param {number} count of messages that do not count @returns {WarmUp} */
export function warmUpOf(count) {
  return {kind: 'count', count};
}
