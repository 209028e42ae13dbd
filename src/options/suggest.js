import {closest, distance} from 'fastest-levenshtein';

/** The distance takes time that grows with the square of the length. */
const maxLength = 100;

/**
 * The suggestion as a sentence, with a space before it; empty if there is none.
 * @param {string} given @param {readonly string[]} names
 * @param {string} [prefix] of each name, such as --
 */
export function didYouMean(given, names, prefix = '') {
  const name = suggest(given, names);
  return name === null ? '' : ` Did you mean ${prefix}${name}?`;
}

/**
 * The name that a person probably meant. A name that ends or begins with the given words comes first: --confirms is --rabbitmq-confirms. A name
 * that differs in more than two fifths of its letters is not suggested.
 * @param {string} given @param {readonly string[]} names
 */
function suggest(given, names) {
  if (given.length < 2 || given.length > maxLength || names.length === 0) return null;
  const whole = names.filter((name) => name.endsWith(`-${given}`) || name.startsWith(`${given}-`));
  if (whole.length === 1) return whole[0];
  const begun = names.filter((name) => given.length > 2 && name.startsWith(given));
  if (begun.length > 0) return begun.reduce((one, other) => (other.length < one.length ? other : one));
  const swapped = names.find((name) => isSwapped(given, name));
  if (swapped !== undefined) return swapped;
  const nearest = closest(given, names);
  return distance(given, nearest) <= Math.max(1, Math.floor(0.4 * nearest.length)) ? nearest : null;
}

/** Whether two letters that stand next to each other are exchanged: hlep is help. @param {string} given @param {string} name */
function isSwapped(given, name) {
  const at = [...name].findIndex((letter, index) => letter !== given[index]);
  return at >= 0 && given === `${name.slice(0, at)}${name[at + 1]}${name[at]}${name.slice(at + 2)}`;
}
