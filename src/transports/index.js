import {brokerKindNamed} from '../brokers/index.js';
import {UsageError} from '../errors.js';
import {quote} from '../files/quote.js';
import amqp1 from './amqp1/index.js';
import byUrl from './by-url/index.js';
import external from './external/index.js';
import {belongsTo, transportGroups} from './groups.js';
import grpc from './grpc/index.js';
import http from './http/index.js';
import http2 from './http2/index.js';
import jetstream from './jetstream/index.js';
import kafka from './kafka/index.js';
import mqtt from './mqtt/index.js';
import nats from './nats/index.js';
import posixMq from './posix-mq/index.js';
import rabbitmq from './rabbitmq/index.js';
import rabbitmqStream from './rabbitmq-stream/index.js';
import redis from './redis/index.js';
import sharedMemory from './shared-memory/index.js';
import socketio from './socketio/index.js';
import sse from './sse/index.js';
import stomp from './stomp/index.js';
import tcp from './tcp/index.js';
import udp from './udp/index.js';
import unix from './unix/index.js';
import websocket from './websocket/index.js';
import worker from './worker/index.js';
import zeromq from './zeromq/index.js';

/**
 * @import {ScriptValuesOf} from '../options/contract.js'
 * @import {AnyVariant, BrokerNeed, Guest, Transport, TransportFacts} from './transport.js'
 */

const registry = [
  tcp,
  http,
  http2,
  grpc,
  sse,
  websocket,
  socketio,
  zeromq,
  rabbitmq,
  amqp1,
  rabbitmqStream,
  stomp,
  nats,
  jetstream,
  mqtt,
  redis,
  kafka,
  udp,
  unix,
  posixMq,
  sharedMemory,
  worker,
  external,
  byUrl,
];

/** @typedef {typeof registry[number]['name']} TransportName */

/** @typedef {typeof registry[number]['options'][number]} TransportOption */

/** @typedef {{[One in typeof registry[number] as One['name']]: ScriptValuesOf<One['options'][number]>}} TransportSettings by transport */

/** All transports, the floor first. `addTransport` appends transports. @type {Transport[]} */
const known = [...registry];
/** @type {readonly Transport[]} */
export const transports = known;

const names = registry.map(({name}) => name);
/** The names of all transports. @type {readonly TransportName[]} */
export const transportNames = names;

/** The transports of a battle if the user names none. */
export const defaultTransportNames = registry
  .filter((transport) => !(/** @type {Transport} */ (transport).isOptIn))
  .map(({name}) => name);

/**
 * @param {string} text the name of a group, in any case
 * @param {readonly Transport[]} [guests] transports that are not part of perf-battle and may belong to it; default: all that were added
 * @returns {TransportName[] | null} null: there is no such group
 */
export function transportsOfGroup(text, guests = known.filter(({module}) => module)) {
  const group = text.toLowerCase();
  if (!transportGroups.includes(group)) return null;
  const members = [...registry, ...guests].filter((one) => belongsTo(one, group));
  return /** @type {TransportName[]} */ (members.map(({name}) => name));
}

/** Whether each request in flight has a connection of its own, with these settings. @param {Transport} transport @param {AnyVariant} variant */
export function connectsForEach({connectsPerRequest = false}, variant) {
  return typeof connectsPerRequest === 'function' ? connectsPerRequest(variant) : connectsPerRequest;
}

/**
 * Returns whether a transport was named as part of a group: all transports of one of its groups were asked for. What such a transport does not support, the
 * others of its group may. Guests that were added, but not asked for, do not count.
 * @param {string} name @param {readonly string[]} asked
 */
export function isOfWholeGroup(name, asked) {
  const guests = known.filter((one) => one.module && asked.includes(one.name));
  return transportGroups.some((group) => {
    const members = /** @type {readonly string[]} */ (transportsOfGroup(group, guests));
    return members.includes(name) && members.every((one) => asked.includes(one));
  });
}

const knownOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly TransportOption[]} */ (options))),
];
/** The options of all transports, each once: transports share options, such as those of TLS. @type {readonly TransportOption[]} */
export const transportOptions = knownOptions;

/** The names of guests by the paths and packages by which they were asked for. @type {Map<string, string>} */
const asked = new Map();

/** Returns the transport that a text names: its name, in any case, or the path or package of a guest. @param {string} text */
export function transportAskedFor(text) {
  return findTransport(text.toLowerCase()) ?? findTransport(asked.get(text) ?? '');
}

/**
 * Adds a transport that is not part of perf-battle, for the rest of this process.
 * @param {Guest} guest
 * @throws {UsageError} when another transport has its name
 */
export function addTransport(guest) {
  const {name, module} = guest;
  asked.set(module.specifier, name);
  const namesake = known.find((one) => one.name === name);
  if (namesake?.module?.url === module.url) {
    namesake.module.specifier = module.specifier;
    return;
  }
  const where = `The transport ${quote(name)} of ${quote(module.specifier)}`;
  if (namesake?.module)
    throw new UsageError(`${where} has the name of that of ${quote(namesake.module.specifier)}.`);
  if (namesake) throw new UsageError(`${where} has the name of a transport of perf-battle.`);
  known.push(guest);
  names.push(/** @type {TransportName} */ (name));
  const options = /** @type {readonly TransportOption[]} */ (/** @type {unknown} */ (guest.options));
  knownOptions.push(...options.filter((option) => !knownOptions.includes(option)));
}

/** The transport that all others are compared with. */
export const floorTransport = /** @type {Transport} */ (transports.find(({isFloor}) => isFloor));

/**
 * Returns what a reader of a battle's tables must know about its transports.
 * @param {readonly {transport: string, variant: AnyVariant}[]} cells that completed
 * @returns {TransportFacts}
 */
export function transportFacts(cells) {
  const notes = transports.flatMap(({name, notesOn}) => {
    const variants = cells.filter(({transport}) => transport === name).map(({variant}) => variant);
    return notesOn?.(variants) ?? [];
  });
  return {floor: floorTransport.name, notes: [...new Set(notes)]};
}

/** @param {string} name @returns {Transport} */
export function transportNamed(name) {
  const transport = findTransport(name);
  if (!transport) throw new TypeError(`There is no transport named ${name}.`);
  return transport;
}

/** @param {string} name @returns {Transport | undefined} undefined also for a transport that was added in an earlier battle */
export function findTransport(name) {
  return transports.find((candidate) => candidate.name === name);
}

/**
 * Returns the broker kinds that a transport needs.
 * @param {string} name
 * @param {AnyVariant} settings of a battle, of a script or of a variant
 * @returns {string[]}
 */
export function brokersOf(name, settings) {
  const {broker, brokersOf: ofSettings} = transportNamed(name);
  return ofSettings?.(settings) ?? (broker === null ? [] : [broker]);
}

/** Returns the broker kind that a cell needs; null: none. @param {{transport: string, variant: AnyVariant}} cell */
export function brokerOf({transport, variant}) {
  return brokersOf(transport, variant)[0] ?? null;
}

/**
 * Returns the broker that a cell needs. Cells with equal needs share a broker.
 * @param {{transport: string, variant: AnyVariant}} cell
 * @returns {BrokerNeed | null}
 */
export function brokerNeedOf({transport, variant}) {
  const kind = brokerOf({transport, variant});
  return kind === null ? null : {kind, settings: transportNamed(transport).brokerSettings?.(variant) ?? {}};
}

/** Returns the same text for equal needs. @param {BrokerNeed} need */
export function keyOfNeed({kind, settings}) {
  return JSON.stringify([kind, Object.entries(settings).sort()]);
}

/** Returns the maximum number of servers of a cell. @param {{transport: string, variant: AnyVariant}} cell */
export function maxServersOf({transport, variant}) {
  const {maxServers = Number.POSITIVE_INFINITY} = transportNamed(transport);
  return typeof maxServers === 'number' ? maxServers : maxServers(variant);
}

/** Returns the broker kinds that a battle needs, each once. @param {AnyVariant & {transport: readonly string[]}} values */
export function brokerKindsFor(values) {
  const needed = values.transport.flatMap((name) => brokersOf(name, values));
  return [...new Set(needed)].map(brokerKindNamed);
}

/** The broker kind that a battle needs by default. It is installed on hosts that are created for a battle. */
export const defaultBrokerKind = brokerKindNamed(
  /** @type {string} */ (defaultTransportNames.map((name) => transportNamed(name).broker).find(Boolean)),
);
