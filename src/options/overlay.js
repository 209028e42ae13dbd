import {isAskedFor} from './resolve.js';

/** @import {Origin, Settings} from './resolve.js' */

/**
 * Replaces values that the person did not give. A value of kind `default` replaces only defaults; one of kind `preset` replaces values
 * of presets, too.
 *
 * @template {Settings} Whole
 * @param {Whole} settings is not changed
 * @param {Partial<Whole['values']>} values by key
 * @param {Origin} origin of the new values, of kind default or preset
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

/**
 * Replaces values, also those that the person gave. Their origins stay.
 * @template {Settings} Whole
 * @param {Whole} settings is not changed
 * @param {Partial<Whole['values']>} values by key
 * @returns {Whole}
 */
export function withValues(settings, values) {
  return {...settings, values: {...settings.values, ...values}};
}
