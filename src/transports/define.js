import {UsageError} from '../errors.js';
import {
  anyFunction,
  anyObject,
  anyText,
  identityRules,
  isFileUrl,
  isFunction,
  listOfTexts,
  mistakeIn,
  moduleUrl,
  optional,
  optionsRule,
  trueOrFalse,
} from '../options/declaration.js';
import {transportGroups} from './groups.js';

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

const isCount = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) > 0;

/** @satisfies {Record<keyof Declaration, Rules[string]>} */
const rules = {
  ...identityRules,
  url: optional({allowed: moduleUrl, isAllowed: isFileUrl}),
  capabilities: {
    allowed: `a list of ${capabilities.join(', ')}`,
    isAllowed: (/** @type {unknown} */ value) =>
      Array.isArray(value) && value.length > 0 && value.every((one) => capabilities.includes(one)),
  },
  client: {allowed: "a function that loads a module: () => import('./client.js')", isAllowed: isFunction},
  server: {allowed: "a function that loads a module: () => import('./server.js')", isAllowed: isFunction},
  options: optionsRule,
  libraries: listOfTexts('a list of the names of npm packages'),
  broker: optional({
    allowed: "the name of a kind of broker, a function that loads one, () => import('./broker.js'), or null",
    isAllowed: (value) => value === null || typeof value === 'string' || isFunction(value),
  }),
  brokers: listOfTexts('a list of the names of kinds of brokers'),
  groups: optional({
    allowed: `a list of ${transportGroups.join(', ')}`,
    isAllowed: (value) => Array.isArray(value) && value.every((one) => transportGroups.includes(one)),
  }),
  maxServers: optional({
    allowed: 'a number of servers, or a function that returns it',
    isAllowed: (value) => isCount(value) || isFunction(value),
  }),
  impliedBy: anyText,
  given: anyObject,
  guarantees: anyObject,
  publishTimeoutMs: optional({allowed: 'a number of ms', isAllowed: isCount}),
  module: anyObject,
  notInRuntimes: anyObject,
  answersInClient: trueOrFalse,
  connectsPerRequest: optional({
    allowed: 'true, false, or a function that returns it',
    isAllowed: (value) => typeof value === 'boolean' || isFunction(value),
  }),
  isFloor: trueOrFalse,
  isOptIn: trueOrFalse,
  mayBeatFloor: trueOrFalse,
  needsOneHost: trueOrFalse,
  runsPrograms: trueOrFalse,
  usesDatagrams: trueOrFalse,
  boundsSends: anyFunction,
  brokerSettings: anyFunction,
  brokersOf: anyFunction,
  checkFiles: anyFunction,
  complete: anyFunction,
  details: anyFunction,
  ignores: anyFunction,
  labelOf: anyFunction,
  notesOn: anyFunction,
  persistent: anyFunction,
  qualifier: anyFunction,
  refuse: anyFunction,
  refuseProcesses: anyFunction,
  roundTripMs: anyFunction,
  sendsNoPayload: anyFunction,
  serverOf: anyFunction,
  together: anyFunction,
};
