import external from './external/index.js';
import externalRabbitmq from './external-rabbitmq/index.js';
import http from './http/index.js';
import nats from './nats/index.js';
import posixMq from './posix-mq/index.js';
import rabbitmq from './rabbitmq/index.js';
import sharedMemory from './shared-memory/index.js';
import tcp from './tcp/index.js';
import udp from './udp/index.js';
import websocket from './websocket/index.js';

/**
 * @import {ScriptValuesOf} from '../options/option.js'
 * @import {AnyVariant, Transport} from './transport.js'
 */

const registry = [
  tcp,
  http,
  websocket,
  rabbitmq,
  nats,
  udp,
  posixMq,
  sharedMemory,
  external,
  externalRabbitmq,
];

/** @typedef {typeof registry[number]['name']} TransportName */

/** @typedef {typeof registry[number]['options'][number]} TransportOption */

/** @typedef {{[One in typeof registry[number] as One['name']]: ScriptValuesOf<One['options'][number]>}} TransportSettings by transport */

/** The floor first. */
export const transportNames = registry.map(({name}) => name);

/** All transports, the floor first. @type {readonly Transport[]} */
export const transports = registry;

/** Those of a battle for which the person names none. */
export const defaultTransportNames = registry
  .filter((transport) => !(/** @type {Transport} */ (transport).isOptIn))
  .map(({name}) => name);

/** The options of all transports, each once: some share options, such as those of TLS. */
export const transportOptions = [
  ...new Set(registry.flatMap(({options}) => /** @type {readonly TransportOption[]} */ (options))),
];

/** The transport that all others are compared with. */
export const floorTransport = /** @type {Transport} */ (transports.find(({isFloor}) => isFloor));

/**
 * What a reader of a battle's tables must know of its transports.
 * @param {readonly {transport: string, variant: AnyVariant}[]} cells those that completed
 * @returns {TransportFacts}
 *
 * @typedef {{floor: string, notes: string[]}} TransportFacts floor: the transport that the others are compared with; notes: paragraphs
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
  const transport = transports.find((candidate) => candidate.name === name);
  if (!transport) throw new TypeError(`There is no transport named ${name}.`);
  return transport;
}
