import {setImmediate as turn} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';
import {
  answered,
  closeBroker,
  connectBroker,
  cutBroker,
  firstErrorOf,
  notAmqp,
} from '../../brokers/rabbitmq/connection.js';
import {RunError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {Transactions} from './transactions.js';

/**
 * @import {RoleSettings} from '../../brokers/kind.js'
 * @import {UnavailableError} from '../../errors.js'
 * @import {RabbitmqSettings} from './index.js'
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {Channel, ChannelModel, ConfirmChannel} from 'amqplib'
 * @import {Socket} from 'node:net'
 */

/** @typedef {RabbitmqSettings & RoleSettings<RabbitmqConnection>} ChannelSettings */

/** The bound on opening the connection and the channel and on the first requests, together. */
const openWithinMs = 10_000;
/** The bound keeps a broker that does not answer from delaying the end of a run. */
const closeWithinMs = 3000;
/**
 * How long an alarm may block publishers. On a host with little memory, a growing queue can raise an alarm until the broker's next check,
 * by default at most 2.5 s later. Such an alarm is back-pressure, and part of the measurement. A longer alarm needs the user's action.
 */
const blockedAtMostMs = 4000;

/**
 * Opens a connection with one channel, and watches both.
 *
 * @param {ChannelSettings} options
 * @returns {Promise<{
 *   channel: Channel | ConfirmChannel, transactions: Transactions | null,
 *   closed: Promise<void>, lose: (what: string) => void,
 *   prepared: <Result>(work: Promise<Result>) => Promise<Result>, details: Record<string, unknown>,
 *   close: (cleanUp?: CleanUp) => Promise<void>,
 * }>} closed: rejects when the connection is lost, or when a memory or disk alarm blocks publishers for long; lose: reports a loss that another part noticed; prepared: bounds the requests to the broker at the start; close: runs the clean-up, then
 *   closes the connection, both within a bound
 * @throws {UnavailableError} when the broker cannot be reached, does not answer, or refuses the credentials
 *
 * @typedef {(channel: Channel) => Promise<void>} CleanUp receives a channel of a new connection if this connection was lost
 */
export async function openChannel(options) {
  const {broker, heartbeatSeconds, noDelay, greetingMs: timeoutMs = openWithinMs, files} = options;
  const since = performance.now();
  const connection = await connectBroker(broker, {heartbeatSeconds, noDelay, timeoutMs, files});
  /** @template Answer @param {Promise<Answer>} answer */
  const inTime = (answer) => answered(connection, answer, {broker, timeoutMs, since});
  try {
    const channel = await inTime(
      options.confirms ? connection.createConfirmChannel() : connection.createChannel(),
    );
    const {life, lost, onlyLost} = watch(connection, refuseHuge(channel), broker);
    const transactions = options.transactions ? await inTime(Transactions.select(channel)) : null;
    const {frameMax, stream} = /** @type {{frameMax: number, stream: Socket}} */ (
      /** @type {unknown} */ (connection.connection)
    );
    return {
      channel,
      transactions,
      closed: life.closed,
      lose: lost,
      // A connection error explains more than a request without an answer.
      prepared: (work) => inTime(Promise.race([onlyLost, work])),
      details: {frameMax, ...(stream instanceof TLSSocket && describeTls(stream))},
      async close(cleanUp) {
        const {isLost} = life;
        life.isFinished = true;
        if (isLost) cutBroker(connection);
        if (isLost && !cleanUp) return;
        const ending = isLost
          ? cleanUpAnew(broker, /** @type {CleanUp} */ (cleanUp), files)
          : closeGently(connection, channel, cleanUp);
        await bounded(ending, closeWithinMs).catch(() => {});
        cutBroker(connection);
      },
    };
  } catch (error) {
    cutBroker(connection);
    throw error;
  }
}

/** @param {ChannelModel} connection @param {Channel} channel @param {RabbitmqConnection} broker */
function watch(connection, channel, broker) {
  const life = new Life();
  const {closed, fail} = life;
  /** @param {string} what @param {Error} [cause] */
  const lost = (what, cause) =>
    fail(new RunError(`${what}${cause ? `: ${cause.message}` : '.'}`, {code: 'PB_CONNECTION_LOST', cause}));
  channel.on('error', (error) => lost('The RabbitMQ channel was closed by the broker', error));
  channel.on('close', () => lost('The RabbitMQ channel was closed'));
  const broken = (/** @type {Error} */ error) => {
    const foreign = notAmqp(broker, error);
    if (foreign) fail(foreign);
    else lost('The RabbitMQ connection was lost', error);
  };
  connection.on('error', broken);
  connection.on('close', (error) => lost('The RabbitMQ connection was closed', error));
  connection.on('handler-error', (error) => lost('A handler of the RabbitMQ connection failed', error));
  channel.on('handler-error', (error) => lost('A handler of the RabbitMQ channel failed', error));
  /** @type {NodeJS.Timeout | undefined} */
  let alarm;
  connection.on('blocked', (reason) => {
    clearTimeout(alarm);
    alarm = setTimeout(() => fail(blocked(broker, String(reason))), blockedAtMostMs).unref();
  });
  connection.on('unblocked', () => clearTimeout(alarm));
  const early = firstErrorOf(connection);
  if (early) broken(early);
  // A request that the broker refused rejects in the same turn with its own reason.
  const onlyLost = closed.catch(async (error) => {
    await turn();
    throw error;
  });
  onlyLost.catch(() => {});
  return {life, lost, onlyLost};
}

/**
 * Refuses messages of more than the maximum payload: amqplib would buffer a message of any announced length.
 * @template {Channel} Open @param {Open} channel
 * @returns {Open} the same channel
 */
function refuseHuge(channel) {
  /** @type {{accept(frame: {size?: number}): void}} */
  const frames = /** @type {any} */ (channel);
  const {accept} = frames;
  frames.accept = (frame) => {
    if (frame.size !== undefined && frame.size > maxPayloadBytes)
      throw new Error(`a message of ${frame.size} bytes; at most ${maxPayloadBytes} are allowed`);
    accept.call(channel, frame);
  };
  return channel;
}

/** @param {RabbitmqConnection} broker @param {string} reason the broker's words */
function blocked({hostname, port}, reason) {
  const advice =
    'Free memory or disk space on its host, or change its limit (vm_memory_high_watermark, disk_free_limit). "perf-battle doctor" reports whether it takes messages again.';
  return new RunError(
    `The broker at ${joinAddress(hostname, port)} takes no messages now: ${reason}. ${advice}`,
    {
      code: 'PB_BROKER_BLOCKED',
    },
  );
}

/** @param {ChannelModel} connection @param {Channel} channel @param {CleanUp | undefined} cleanUp */
async function closeGently(connection, channel, cleanUp) {
  try {
    await cleanUp?.(channel);
    await connection.close();
  } catch {
    // Remaining queues expire, or the battle deletes them. A failed clean-up does not fail the run.
  }
}

/** @param {RabbitmqConnection} broker @param {CleanUp} cleanUp @param {Readonly<Record<string, string>> | undefined} files */
async function cleanUpAnew(broker, cleanUp, files) {
  const connection = await connectBroker(broker, {timeoutMs: closeWithinMs, files});
  try {
    await cleanUp(await connection.createChannel());
  } finally {
    await closeBroker(connection);
  }
}
