import {onOff} from './types.js';

/** @import {Option} from './option.js' */

/**
 * What an option is for, and its choices where it has any. That a switch is on or off goes without saying.
 * @param {Option} option
 * @returns {string} sentences
 */
export function meaningOf({help, type, list}) {
  if (!type.choices || (type === onOff && !list)) return help;
  return `${help} ${list ? 'Any' : 'One'} of: ${type.choices.join(', ')}.`;
}
