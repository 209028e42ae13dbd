import {fileURLToPath} from 'node:url';
import {obtainBroker} from '../src/brokers/obtain.js';
import {rabbitmq} from '../src/brokers/rabbitmq/index.js';

/**
 * @import {Broker} from '../src/brokers/kind.js'
 * @import {RabbitmqConnection} from '../src/transports/rabbitmq/url.js'
 * @import {Bench} from './index.js'
 */

/** The harness as a user runs it by hand: the paths of its scripts, their settings and their output. */

/** @param {string} path relative to this folder */
export function pathOf(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/**
 * The settings that give a client the address of its server.
 * @param {string | null} address host and port; null: through a broker
 * @returns {Record<string, string>} PB_ names
 */
export function addressSettings(address) {
  if (address === null) return {};
  const [host, port] = address.split(':');
  return {PB_SERVER_HOST: host, PB_SERVER_PORT: port};
}

/** @param {Bench} bench */
export function obtainPrivateBroker({log, signal}) {
  return obtainBroker(rabbitmq, {choice: 'private', given: null, log, signal});
}

/** @param {Broker<RabbitmqConnection>} broker @returns {Record<string, string>} PB_ names */
export function brokerSettings({connection: {hostname, port, username, password}}) {
  return {
    PB_RABBITMQ_HOST: hostname,
    PB_RABBITMQ_PORT: String(port),
    PB_RABBITMQ_USERNAME: username,
    PB_RABBITMQ_PASSWORD: password,
  };
}

/**
 * The result of a client.
 * @param {string} printed lines of JSON
 * @returns {Record<string, any>}
 * @throws {Error} when there is no result event
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
