import {didYouMean} from './show-option.js';

/** @import {Rules} from './contract.js' */

/** The version of the contracts with transports and brokers that are not part of perf-battle. */
const apiVersion = 1;

/** Names are typed on command lines and are parts of file names. */
export const namePattern = /^[a-z][a-z\d-]{0,39}$/;
/** Labels are shown in markdown tables. */
const labelPattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+()/:#-]{0,39}$/u;

/** @param {unknown} value */
export const isFunction = (value) => typeof value === 'function';

/** @satisfies {Rules} */
export const identityRules = {
  apiVersion: {
    allowed: `${apiVersion}, which this version of perf-battle knows`,
    isAllowed: (value) => value === apiVersion,
  },
  name: {
    allowed: 'a small letter, and up to 39 more small letters, digits and hyphens',
    isAllowed: (value) => typeof value === 'string' && namePattern.test(value),
  },
  label: {
    allowed: 'a text of up to 40 letters, digits, spaces and . _ + ( ) / : # -',
    isAllowed: (value) => typeof value === 'string' && labelPattern.test(value),
  },
};

/** import.meta.url of a module on disk is such a URL. @param {unknown} value @returns {value is string} */
export const isFileUrl = (value) => typeof value === 'string' && value.startsWith('file:');

export const moduleUrl = 'import.meta.url, the URL of the file that declares it';

export const optionsRule = {
  allowed: 'a list of options, made by option()',
  isAllowed: (/** @type {unknown} */ value) =>
    value === undefined || (Array.isArray(value) && value.every(isOption)),
};

const isMissing = (/** @type {unknown} */ value) => value === undefined;

/** A field that may be missing. @param {Rules[string]} rule @returns {Rules[string]} */
export const optional = ({allowed, isAllowed}) => ({
  allowed,
  isAllowed: (value) => isMissing(value) || isAllowed(value),
});

export const anyFunction = optional({allowed: 'a function', isAllowed: isFunction});
export const trueOrFalse = optional({
  allowed: 'true or false',
  isAllowed: (value) => typeof value === 'boolean',
});
export const anyObject = optional({
  allowed: 'an object',
  isAllowed: (value) => typeof value === 'object' && value !== null,
});
export const anyText = optional({allowed: 'a text', isAllowed: (value) => typeof value === 'string'});

/** @param {string} allowed */
export const listOfTexts = (allowed) =>
  optional({
    allowed,
    isAllowed: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  });

/**
 * @param {unknown} declaration @param {Rules} rules a rule for each field that there may be
 * @returns {string | null} a sentence on the first field that is not allowed, or null
 */
export function mistakeIn(declaration, rules) {
  if (typeof declaration !== 'object' || declaration === null) return 'it is no object.';
  const fields = /** @type {Record<string, unknown>} */ (declaration);
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(rules, field));
  if (unknown !== undefined)
    return `there is no field ${shown(unknown)}.${didYouMean(unknown, Object.keys(rules))}`;
  for (const [field, {allowed, isAllowed}] of Object.entries(rules)) {
    if (!isAllowed(fields[field])) return `${field} must be ${allowed}; it is ${shown(fields[field])}.`;
  }
  return null;
}

/** @param {any} value */
function isOption(value) {
  return (
    ['name', 'key', 'environmentName'].every((field) => typeof value?.[field] === 'string') &&
    isFunction(value.type?.parse)
  );
}

/** @param {unknown} value */
function shown(value) {
  if (value === undefined) return 'missing';
  const text = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
