import {onOff} from '../options/types.js';
import {isOfSomeWorkloads, ownersText} from './owners.js';

/** @import {Option} from '../options/option.js' */

/**
 * What an option is for, the workloads that take it, and its choices. A plain switch needs no choices.
 * @param {Option} option
 * @returns {string} sentences
 */
export function meaningOf(option) {
  const {help, type, list} = option;
  const owners = isOfSomeWorkloads(option) ? [`For ${ownersText(option)}.`] : [];
  const hasChoices = type.choices !== undefined && (type !== onOff || list);
  const choices = hasChoices ? [`${list ? 'Any' : 'One'} of: ${type.choices?.join(', ')}.`] : [];
  return [help, ...owners, ...choices].join(' ');
}
