import {onOff} from './types.js';

/** @import {Option} from './option.js' */

/** Longer lists of choices do not fit beside a flag. */
const maxChoicesLength = 20;

/** A flag with its letter and what its value is: `-p, --payload SIZE,…`. @param {Option} option */
export function flagText(option) {
  const {name, short} = option;
  return [short === null ? `--${name}` : `-${short}, --${name}`, placeholderOf(option)]
    .filter((part) => part !== '')
    .join(' ');
}

/** What stands for the value of an option. @param {Option} option @returns {string} empty for a switch, which needs none */
export function placeholderOf({type, list, placeholder}) {
  if (type === onOff && !list) return '';
  const one = placeholder ?? type.placeholder ?? ofChoices(type.choices);
  return list ? `${one}${type.separator ?? ','}…` : one;
}

/** @param {readonly string[]} [choices] */
function ofChoices(choices) {
  if (choices === undefined) return 'VALUE';
  const all = choices.join('|');
  return all.length <= maxChoicesLength ? all : 'NAME';
}
