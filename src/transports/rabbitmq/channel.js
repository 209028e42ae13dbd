import {RunError} from '../../errors.js';
import {bounded} from '../bounded.js';
import {connectBroker} from './connection.js';
import {Transactions} from './transactions.js';
import {connectionFrom} from './url.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {AddressSettings, RabbitmqConnection} from './url.js'
 * @import {Channel, ChannelModel, ConfirmChannel} from 'amqplib'
 * @import {Socket} from 'node:net'
 */

/**
 * @typedef {RabbitmqSettings & AddressSettings & {broker?: RabbitmqConnection | null, noDelay: boolean, greetingMs?: number,
 *   files?: Readonly<Record<string, string>>}} ChannelSettings
 *   broker: there in a battle, instead of the address that the user set
 */

/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/**
 * Opens one connection with one channel, and watches both.
 *
 * @param {ChannelSettings} options
 * @returns {Promise<{
 *   channel: Channel | ConfirmChannel, transactions: Transactions | null,
 *   closed: Promise<void>, failed: (handler: (error: Error) => void) => void, lose: (what: string) => void,
 *   isBlocked: () => boolean, onUnblocked: (handler: () => void) => void, details: Record<string, unknown>,
 *   close: (cleanUp?: () => Promise<void>) => Promise<void>,
 * }>} closed rejects when the connection is lost; failed: calls a handler then; lose: reports a loss that was
 *   noticed elsewhere; isBlocked: whether the broker blocks publishers (a memory or disk alarm); close: runs a clean-up first, both within a bound
 * @throws {UnavailableError} when the broker cannot be reached or refuses the credentials
 */
export async function openChannel(options) {
  const {heartbeatSeconds, noDelay, greetingMs: timeoutMs, files} = options;
  const connection = await connectBroker(options.broker ?? connectionFrom(options), {
    heartbeatSeconds,
    noDelay,
    timeoutMs,
    files,
  });
  const channel = await (options.confirms ? connection.createConfirmChannel() : connection.createChannel());
  const life = watch(connection, channel);
  const transactions = options.transactions ? await Transactions.select(channel) : null;
  const internals = /** @type {typeof connection.connection & {frameMax: number, stream: Socket}} */ (
    connection.connection
  );
  return {
    channel,
    transactions,
    closed: life.closed,
    failed: (handler) => life.closed.catch(handler),
    lose: life.lost,
    isBlocked: () => life.isBlocked,
    onUnblocked: life.onUnblocked,
    details: {frameMax: internals.frameMax},
    async close(cleanUp = async () => {}) {
      life.finish();
      await bounded(closeGently(connection, cleanUp), closeWithinMs).catch(() => {});
      internals.stream.destroy();
    },
  };
}

/**
 * @param {ChannelModel} connection
 * @param {Channel} channel
 */
function watch(connection, channel) {
  let finished = false;
  /** @type {(value: void) => void} */
  let resolve = () => {};
  /** @type {(error: Error) => void} */
  let reject = () => {};
  /** @type {Promise<void>} */
  const closed = new Promise((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  closed.catch(() => {});
  /** @param {string} what @param {Error} [cause] */
  const lost = (what, cause) => {
    if (finished) return;
    reject(new RunError(`${what}${cause ? `: ${cause.message}` : '.'}`, {code: 'PB_CONNECTION_LOST', cause}));
  };
  channel.on('error', (error) => lost('The RabbitMQ channel was closed by the broker', error));
  channel.on('close', () => lost('The RabbitMQ channel was closed'));
  connection.on('error', (error) => lost('The RabbitMQ connection was lost', error));
  connection.on('close', (error) => lost('The RabbitMQ connection was closed', error));
  connection.on('handler-error', (error) => lost('A handler of the RabbitMQ connection failed', error));
  channel.on('handler-error', (error) => lost('A handler of the RabbitMQ channel failed', error));
  const blocking = {isBlocked: false};
  connection.on('blocked', () => {
    blocking.isBlocked = true;
  });
  connection.on('unblocked', () => {
    blocking.isBlocked = false;
  });
  return {
    closed,
    lost,
    get isBlocked() {
      return blocking.isBlocked;
    },
    onUnblocked: (/** @type {() => void} */ handler) => void connection.on('unblocked', handler),
    finish() {
      finished = true;
      resolve();
    },
  };
}

/** @param {ChannelModel} connection @param {() => Promise<void>} cleanUp */
async function closeGently(connection, cleanUp) {
  try {
    await cleanUp();
    await connection.close();
  } catch {
    // What was not deleted expires, or a later server purges it. A run does not fail for that.
  }
}
