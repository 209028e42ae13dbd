import {
  answered,
  closeBroker,
  connectBroker,
  cutBroker,
  readVersions,
} from '../../transports/rabbitmq/connection.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqConnection} from '../../transports/rabbitmq/url.js'
 * @import {Greeting} from '../kind.js'
 */

/**
 * Connects, asks who answers, and closes again. It opens a channel too, as a program may answer no further than the greeting.
 * @param {RabbitmqConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds for all of it
 * @returns {Promise<Greeting>}
 * @throws {UnavailableError}
 */
export async function greet(connection, {timeoutMs, signal}) {
  const since = performance.now();
  const model = await connectBroker(connection, {timeoutMs, signal});
  try {
    await answered(model, model.createChannel(), {broker: connection, timeoutMs, since, signal});
  } catch (error) {
    cutBroker(model);
    throw error;
  }
  const {product, ...versions} = readVersions(model);
  await closeBroker(model);
  return {product, versions};
}
