import {isAskedFor} from './resolve.js';

/** @import {Origin, Settings} from './resolve.js' */

/**
 * Settings in which other values stand in the place of defaults. What the person asked for stays, and a preset's value gives way to
 * another that the person's own choice implies, but not to another default.
 *
 * @template {Settings<any>} Whole
 * @param {Whole} settings stays as it is
 * @param {Partial<Whole['values']>} values by key
 * @param {Origin} origin of kind default or preset
 * @returns {Whole}
 */
export function overlay(settings, values, origin) {
  const gives = (/** @type {string} */ key) => {
    const current = settings.origins[key];
    return !isAskedFor(current) && (current.kind === 'default' || origin.kind === 'preset');
  };
  const taken = Object.entries(values).filter(([key]) => gives(key));
  return {
    ...settings,
    values: {...settings.values, ...Object.fromEntries(taken)},
    origins: {...settings.origins, ...Object.fromEntries(taken.map(([key]) => [key, origin]))},
  };
}
