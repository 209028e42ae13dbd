import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {bounded} from '../../net/bounded.js';
import {answered, closeBroker, connectBroker, cutBroker, readVersions} from './connection.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqConnection} from './url.js'
 * @import {Greeting} from '../kind.js'
 * @import {ChannelModel} from 'amqplib'
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

/** A broker with an alarm says so after the first message of a connection, which it may confirm first. */
const noticeMs = 200;
/** A broker with an alarm no longer reads what a publisher sends, not even that it closes the connection. */
const closeMs = 200;

/**
 * Publishes a message that no queue takes, and reports whether the broker then stops publishers: it has too little memory or disk
 * (https://www.rabbitmq.com/docs/alarms).
 * @param {RabbitmqConnection} connection
 * @param {{timeoutMs: number, signal: AbortSignal}} bounds
 * @returns {Promise<string | null>} the broker's words, such as "low on disk", or how it failed to take the message; null: it takes messages
 * @throws {UnavailableError}
 */
export async function readAlarm(connection, bounds) {
  const model = await connectBroker(connection, bounds);
  try {
    /** @type {Promise<string>} */
    const blocked = new Promise((resolve) => model.once('blocked', (reason) => resolve(String(reason))));
    return await bounded(Promise.race([blocked, untilTaken(model)]), bounds.timeoutMs, bounds.signal);
  } catch (error) {
    bounds.signal.throwIfAborted();
    return /** @type {Error} */ (error).message;
  } finally {
    await closeBroker(model, closeMs);
  }
}

/** @param {ChannelModel} model */
async function untilTaken(model) {
  const channel = await model.createConfirmChannel();
  channel.on('error', () => {});
  await new Promise((resolve, reject) =>
    channel.publish('', `perf-battle-${randomUUID()}`, Buffer.alloc(1), {}, (error) =>
      error ? reject(error) : resolve(null),
    ),
  );
  return await sleep(noticeMs, null);
}
