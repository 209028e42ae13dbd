import {fileURLToPath} from 'node:url';
import {brokerNeedOf, transportNamed} from '../src/transports/index.js';

/**
 * @import {BrokerConnection} from '../src/brokers/kind.js'
 * @import {AnyVariant} from '../src/transports/transport.js'
 * @import {Bench, Row} from './part.js'
 */

/** These functions use the harness by hand, as a user does: the paths of its scripts, their settings and their output. */

/** @param {string} path relative to this folder */
export function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/**
 * @param {string} transport @param {'server' | 'client'} role
 * @returns {string[]} the command line of Node.js for a half of a transport by hand
 */
export function halfOf(transport, role) {
  return [pathOf('../bin/perf-battle.js'), role === 'server' ? 'serve' : 'call', transport];
}

/**
 * Returns the settings that give a client the address of its server.
 * @param {string | null} address host and port; null for a server behind a broker
 * @returns {Record<string, string>} PB_ names
 */
export function addressSettings(address) {
  if (address === null) return {};
  const [host, port] = address.split(':');
  return {PB_SERVER_HOST: host, PB_SERVER_PORT: port};
}

/**
 * Measures with the settings of the private broker that a transport needs, and of the variant. A transport without a broker gets only those of the
 * variant.
 * @param {string} transport @param {Bench} bench
 * @param {(settings: Record<string, string>) => AsyncIterable<Row>} measure gets PB_ names
 * @param {AnyVariant} [variant] settings of the transport that are not the default @returns {AsyncGenerator<Row>}
 */
export async function* withBroker(transport, {brokerOf}, measure, variant = {}) {
  const need = brokerNeedOf({transport, variant});
  const broker = need === null ? null : await brokerOf(need.kind, need.settings);
  yield* measure({
    ...variantSettings(transport, variant),
    ...(broker !== null && brokerSettings(broker.kind, broker.connection)),
  });
}

/** @param {string} transport @param {AnyVariant} variant @returns {Record<string, string>} PB_ names */
function variantSettings(transport, variant) {
  const chosen = transportNamed(transport).options.filter(({key}) => key in variant);
  return Object.fromEntries(chosen.map(({key, environmentName}) => [environmentName, String(variant[key])]));
}

/** @param {string} kind @param {BrokerConnection & Record<string, any>} connection @returns {Record<string, string>} PB_ names */
function brokerSettings(kind, {hostname, port, username, password, otherPorts = {}}) {
  const ports = Object.entries(otherPorts).map(([protocol, other]) => [`${protocol}_PORT`, other]);
  const values = {HOST: hostname, PORT: port, USERNAME: username, PASSWORD: password};
  return Object.fromEntries(
    [...Object.entries(values), ...ports].map(([name, value]) => [
      `PB_${kind}_${name}`.toUpperCase(),
      String(value),
    ]),
  );
}

/**
 * Returns the result of a client.
 * @param {string} printed lines of JSON @returns {Record<string, any>} @throws {Error} when there is no result event
 */
export function resultOf(printed) {
  const events = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const result = events.find(({event}) => event === 'result');
  if (!result) throw new Error(`The client reported no result. It printed:\n${printed}`);
  return result;
}
