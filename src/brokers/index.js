import {importBrought} from '../files/brought-module.js';
import {artemis} from './artemis/index.js';
import {kafka} from './kafka/index.js';
import {mosquitto} from './mosquitto/index.js';
import {nats} from './nats/index.js';
import {rabbitmq} from './rabbitmq/index.js';
import {redis} from './redis/index.js';

/**
 * @import {Origin} from '../options/contract.js'
 * @import {BrokerConnection, BrokerKind} from './kind.js'
 */

const registry = [rabbitmq, nats, redis, mosquitto, kafka, artemis];

/** @typedef {typeof registry[number]['options'][number]} BrokerOption */

/** @type {BrokerKind[]} */
const known = [...registry];
/** All kinds of brokers, including those of external transports. @type {readonly BrokerKind[]} */
export const brokerKinds = known;

/** The options of perf-battle's own kinds, without duplicates: some kinds share options, such as the number of nodes. */
export const brokerOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly BrokerOption[]} */ (options))),
];

/** Adds the kind of an external transport to this process. The caller has checked for name clashes. @param {BrokerKind} kind */
export function addBrokerKind(kind) {
  if (!known.some(({name}) => name === kind.name)) known.push(kind);
}

/**
 * The kind that another process has named.
 * @param {string} name
 * @param {string} [url] the URL of the module of a kind that is not part of perf-battle
 * @returns {Promise<BrokerKind>}
 */
export async function brokerKindOf(name, url) {
  if (url === undefined) return brokerKindNamed(name);
  return /** @type {BrokerKind} */ ((await importBrought(url)).default);
}

/** @param {string} name @returns {BrokerKind} */
export function brokerKindNamed(name) {
  const kind = brokerKinds.find((candidate) => candidate.name === name);
  if (!kind) throw new TypeError(`There is no kind of broker named ${name}.`);
  return kind;
}

/** @param {string} url @returns {BrokerKind | undefined} the kind that has the URL's scheme */
export function brokerKindOfUrl(url) {
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(url)?.[1].toLowerCase();
  return brokerKinds.find(({schemes}) => scheme !== undefined && schemes.includes(scheme));
}

/**
 * The broker of a kind that the user has named, by `--broker URL` or by the kind's own options.
 * @param {BrokerKind} kind
 * @param {{values: Readonly<Record<string, unknown>> & {broker?: string}, origins: Readonly<Record<string, Origin>>}} settings
 * @returns {{connection: BrokerConnection, origin: Origin} | null} origin: the origin of the setting that names the broker
 */
export function givenBroker(kind, {values, origins}) {
  if (values.broker !== undefined && brokerKindOfUrl(values.broker) === kind) {
    const named = {...values, [kind.urlOption.key]: values.broker};
    return {connection: kind.connectionFrom(named), origin: origins.broker};
  }
  const set = kind.addressOptions.find(({key}) => origins[key].kind !== 'default');
  return set ? {connection: kind.connectionFrom(values), origin: origins[set.key]} : null;
}
