import {UsageError} from '../errors.js';
import {
  identityRules,
  isFileUrl,
  isFunction,
  mistakeIn,
  moduleUrl,
  optionsRule,
} from '../options/declaration.js';

/**
 * @import {Rules} from '../options/contract.js'
 * @import {BringBroker, Capability, Declaration, Transport} from './transport.js'
 */

/** @type {readonly Capability[]} */
const capabilities = ['request', 'send', 'store', 'broadcast'];

/**
 * Declares a transport.
 * @template {Declaration} One @param {One} declaration
 * @returns {One & Omit<Transport, 'broker'> & {broker: string | null | BringBroker}}
 * @throws {UsageError} naming the field that is missing or not allowed
 */
export function defineTransport(declaration) {
  const mistake = mistakeInTransport(declaration);
  if (mistake !== null) throw new UsageError(`A transport cannot be declared so: ${mistake}`);
  return {broker: null, options: [], libraries: [], ...declaration};
}

/** @param {unknown} declaration @returns {string | null} a sentence on the first field that is not allowed; null: all fields are allowed */
export function mistakeInTransport(declaration) {
  return mistakeIn(declaration, rules);
}

/** @type {Rules} */
const rules = {
  ...identityRules,
  url: {
    allowed: moduleUrl,
    isAllowed: (value) => value === undefined || isFileUrl(value),
  },
  capabilities: {
    allowed: `a list of ${capabilities.join(', ')}`,
    isAllowed: (value) =>
      Array.isArray(value) && value.length > 0 && value.every((one) => capabilities.includes(one)),
  },
  client: {allowed: "a function that loads a module: () => import('./client.js')", isAllowed: isFunction},
  server: {allowed: "a function that loads a module: () => import('./server.js')", isAllowed: isFunction},
  options: optionsRule,
  libraries: {
    allowed: 'a list of the names of npm packages',
    isAllowed: (value) =>
      value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  },
  broker: {
    allowed: "the name of a kind of broker, a function that loads one, () => import('./broker.js'), or null",
    isAllowed: (value) =>
      value === undefined || value === null || typeof value === 'string' || isFunction(value),
  },
};
