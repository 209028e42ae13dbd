import {UsageError} from '../errors.js';

/** @import {Capability, Transport} from './transport.js' */

/** The version of the declaration, of `serve` and of `connect`. */
const apiVersion = 1;

/** @type {readonly Capability[]} */
const capabilities = ['request', 'send', 'store'];

/** A name is typed on command lines, and part of file names. */
export const namePattern = /^[a-z][a-z\d-]{0,39}$/;
/** A label stands in markdown tables. */
const labelPattern = /^[\p{L}\p{N}][\p{L}\p{N} ._+()/:#-]{0,39}$/u;

/**
 * @typedef {{apiVersion: 1, name: string, label: string, capabilities: readonly Capability[]} & Pick<Required<Transport>, 'client' | 'server'> & Partial<Transport>} Declaration
 */

/**
 * Declares a transport.
 * @template {Declaration} One
 * @param {One} declaration
 * @returns {One & Transport}
 * @throws {UsageError} naming the field that is missing or not allowed
 */
export function defineTransport(declaration) {
  const mistake = mistakeIn(declaration);
  if (mistake !== null) throw new UsageError(`A transport cannot be declared so: ${mistake}`);
  return {broker: null, options: [], libraries: [], ...declaration};
}

/**
 * @param {unknown} declaration
 * @returns {string | null} a sentence on the first field that is not allowed; null: there is none
 */
export function mistakeIn(declaration) {
  if (typeof declaration !== 'object' || declaration === null) return 'it is no object.';
  const fields = /** @type {Record<string, any>} */ (declaration);
  for (const [field, {allowed, isAllowed}] of Object.entries(rules)) {
    if (!isAllowed(fields[field])) return `${field} must be ${allowed}; it is ${shown(fields[field])}.`;
  }
  return null;
}

const isFunction = (/** @type {unknown} */ value) => typeof value === 'function';

/** @type {Record<string, {allowed: string, isAllowed: (value: any) => boolean}>} */
const rules = {
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
  capabilities: {
    allowed: `a list of ${capabilities.join(', ')}`,
    isAllowed: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((one) => capabilities.includes(one)),
  },
  client: {allowed: "a function that loads a module: () => import('./client.js')", isAllowed: isFunction},
  server: {allowed: "a function that loads a module: () => import('./server.js')", isAllowed: isFunction},
  options: {
    allowed: 'a list of options, made by option()',
    isAllowed: (value) => value === undefined || (Array.isArray(value) && value.every(isOption)),
  },
  libraries: {
    allowed: 'a list of the names of npm packages',
    isAllowed: (value) =>
      value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  },
  broker: {
    allowed: 'the name of a kind of broker, or null',
    isAllowed: (value) => value === undefined || value === null || typeof value === 'string',
  },
};

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
