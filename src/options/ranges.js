import {UsageError} from '../errors.js';
import {shorten} from '../files/given-text.js';

/** @import {OptionType} from './contract.js' */

/** Each value makes cells of its own, so a longer range is a mistake. */
const maxValues = 10_000;

/**
 * A type whose lists may contain ranges: `32..4064+32` is 32, 64, … 4064. The default step is 1.
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

/** A type may not allow 0, but a step of 0 needs a message of its own. @param {OptionType<number>} type @param {string} step */
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
  if (step <= 0) throw new UsageError(`The step of the range ${shorten(text)} must be greater than 0.`);
  if (to < from) throw new UsageError(`The range ${shorten(text)} is empty: its end is below its start.`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > maxValues)
    throw new UsageError(`The range ${shorten(text)} has ${count} values; at most ${maxValues} are allowed.`);
  return Array.from({length: count}, (_, index) => from + index * step);
}
