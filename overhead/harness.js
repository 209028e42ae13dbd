import {fileURLToPath} from 'node:url';
import {transportNamed} from '../src/transports/index.js';

/**
 * @import {BrokerConnection} from '../src/brokers/kind.js'
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
 * Measures with the settings of the private broker that a transport needs. A transport without a broker gets no settings.
 * @param {string} transport @param {Bench} bench
 * @param {(settings: Record<string, string>) => AsyncIterable<Row>} measure gets PB_ names @returns {AsyncGenerator<Row>}
 */
export async function* withBroker(transport, {brokerOf}, measure) {
  const {broker: kind, brokerSettings: needs} = transportNamed(transport);
  const broker = kind === null ? null : await brokerOf(kind, needs?.({}) ?? {});
  yield* measure(broker === null ? {} : brokerSettings(broker.kind, broker.connection));
}

/** @param {string} kind @param {BrokerConnection & Record<string, any>} connection @returns {Record<string, string>} PB_ names */
function brokerSettings(kind, {hostname, port, username, password}) {
  const values = {HOST: hostname, PORT: String(port), USERNAME: username, PASSWORD: password};
  const prefix = `PB_${kind.toUpperCase()}`;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]));
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
