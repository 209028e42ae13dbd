import {UsageError} from '../errors.js';

/** @import {OptionType} from './types.js' */

/** A range longer than this is a slip of the hand: each value makes cells of its own. */
const mostValues = 10_000;

/**
 * A type whose lists may have ranges among them: `32..4064+32` is 32, 64, … 4064; the step may be left out and is then 1.
 *
 * @param {OptionType<number>} type of one value
 * @returns {OptionType<number>}
 */
export function withRanges(type) {
  return {
    ...type,
    allowed: `${type.allowed}, or in a list a range such as 32..4064+32`,
    expand: (text) => {
      const [, from, to, step = '1'] = /^(.+?)\.\.([^+]+)(?:\+(.+))?$/.exec(text) ?? [];
      if (from === undefined) return [type.parse(text)];
      return valuesBetween(text, [type.parse(from), type.parse(to), parseStep(type, step)]);
    },
  };
}

/** A step of 0 is known as such, so that it can be told apart from no number at all. @param {OptionType<number>} type @param {string} step */
function parseStep(type, step) {
  return /^0+(?:\.0+)?\s*[a-z]*$/i.test(step) ? 0 : type.parse(step);
}

/**
 * @param {string} text
 * @param {(number | undefined)[]} bounds from, to, step
 * @returns {(number | undefined)[]}
 */
function valuesBetween(text, [from, to, step]) {
  if (from === undefined || to === undefined || step === undefined) return [undefined];
  if (step <= 0) throw new UsageError(`The range ${text} never ends: its step must be more than 0.`);
  if (to < from) throw new UsageError(`The range ${text} is empty: it ends before it begins.`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > mostValues)
    throw new UsageError(`The range ${text} has ${count} values; it may have ${mostValues}.`);
  return Array.from({length: count}, (_, index) => from + index * step);
}
