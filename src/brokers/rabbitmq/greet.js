import {connectBroker, readVersions} from '../../transports/rabbitmq/connection.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqConnection} from '../../transports/rabbitmq/url.js'
 * @import {Greeting} from '../kind.js'
 */

/**
 * Connects, asks who answers, and closes again.
 * @param {RabbitmqConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds
 * @returns {Promise<Greeting>}
 * @throws {UnavailableError}
 */
export async function greet(connection, bounds) {
  const model = await connectBroker(connection, bounds);
  model.on('error', () => {});
  const {product, ...versions} = readVersions(model);
  await model.close().catch(() => {});
  return {product, versions};
}
