import {defaultTransportNames, transportNamed} from '../transports/index.js';
import {nats} from './nats/index.js';
import {rabbitmq} from './rabbitmq/index.js';

/** @import {BrokerKind} from './kind.js' */

const registry = [rabbitmq, nats];

/** @typedef {typeof registry[number]['options'][number]} BrokerOption */

/** All kinds of brokers. @type {readonly BrokerKind[]} */
export const brokerKinds = registry;

/** The options of all kinds, each once: some share options, such as the number of nodes. */
export const brokerOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly BrokerOption[]} */ (options))),
];

/** @param {string} name @returns {BrokerKind} */
export function brokerKindNamed(name) {
  const kind = brokerKinds.find((candidate) => candidate.name === name);
  if (!kind) throw new TypeError(`There is no kind of broker named ${name}.`);
  return kind;
}

/** The kinds that transports need, each once. @param {readonly string[]} transportNames */
export function brokerKindsFor(transportNames) {
  const needed = transportNames.flatMap((name) => transportNamed(name).broker ?? []);
  return [...new Set(needed)].map(brokerKindNamed);
}

/** The kind whose scheme a URL has. @param {string} url @returns {BrokerKind | undefined} */
export function brokerKindOfUrl(url) {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1].toLowerCase();
  return brokerKinds.find(({schemes}) => scheme !== undefined && schemes.includes(scheme));
}

/** The kind that a battle needs by default, which is installed on hosts that are made for a battle. */
export const defaultBrokerKind = brokerKindNamed(
  /** @type {string} */ (defaultTransportNames.map((name) => transportNamed(name).broker).find(Boolean)),
);
