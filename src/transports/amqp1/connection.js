import {TLSSocket} from 'node:tls';
import {connectAmqp} from '../../brokers/artemis/connection.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {RoleSettings} from '../../brokers/kind.js'
 * @import {ArtemisConnection} from '../../brokers/artemis/url.js'
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {Amqp1Variant} from './index.js'
 * @import {Origin, Target, Topology, TopologyModule} from './topology.js'
 * @import {Socket} from 'node:net'
 * @import * as Library from 'rhea'
 * @import {Delivery, EventContext, Receiver, Sender} from 'rhea'
 */

/** @typedef {Amqp1Variant & RoleSettings<RabbitmqConnection & ArtemisConnection>} Amqp1Settings */

const openWithinMs = 10_000;
/** The bound keeps a broker that does not answer from delaying the end of a run. */
const closeWithinMs = 3000;
/** Sender settle modes of AMQP 1.0, section 2.8.2. */
const settleModes = /** @type {const} */ ({unsettled: 0, settled: 1});

/** @type {Record<NonNullable<Amqp1Settings['amqp1Broker']>, () => Promise<TopologyModule>>} */
const topologies = {
  rabbitmq: () => import('./over-rabbitmq.js'),
  artemis: () => import('./over-artemis.js'),
};

/**
 * Opens an AMQP 1.0 connection with one session within a bound. The connection does not reconnect, because a lost connection fails the
 * trial.
 * @param {Amqp1Settings} options
 * @returns {Promise<OpenedAmqp1>}
 * @throws {UnavailableError} that names host, port, user and reason, never the password
 *
 * @typedef {object} OpenedAmqp1
 * @property {Socket} socket
 * @property {Topology} topology
 * @property {Promise<void>} closed rejects when the connection, its session or a link is lost
 * @property {(error: Error) => void} fail reports a loss that was noticed elsewhere
 * @property {(target: Target, how: {isSettled: boolean}) => Promise<Sender>} openSender
 * @property {(source: Origin, onMessage: OnDelivery, how: {isSettled: boolean, credit: number}) => Promise<Receiver>} openReceiver
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: () => Promise<unknown>) => Promise<void>} close runs the clean-up, then closes the connection, both within a bound
 *
 * @typedef {(payload: Buffer, delivery: Delivery, properties: Library.Message) => void} OnDelivery
 */
export async function openAmqp1(options) {
  const {broker, noDelay, greetingMs = openWithinMs, files} = options;
  const life = new Life('The AMQP 1.0 connection was lost');
  const {topologyOver, unopened} = await topologies[options.amqp1Broker ?? 'rabbitmq']();
  const opening = {timeoutMs: greetingMs, noDelay, files, onLost: life.fail};
  const {connection, socket, cut} = await connectAmqp(broker, opening).catch((error) => {
    throw unopened(broker, error);
  });
  const {closed} = life;
  const settled = (/** @type {Sender | Receiver} */ link, /** @type {string} */ event) =>
    bounded(
      Promise.race([new Promise((resolve) => link.once(event, () => resolve(link))), closed]),
      greetingMs,
    );
  return {
    socket,
    topology: topologyOver(connection, options),
    closed,
    fail: life.fail,
    openSender: (target, {isSettled}) =>
      settled(
        connection.open_sender({
          // RabbitMQ 4 refuses a link without a target. It accepts a target without an address.
          target: target ?? {},
          snd_settle_mode: isSettled ? settleModes.settled : settleModes.unsettled,
        }),
        'sender_open',
      ),
    openReceiver(source, onMessage, {isSettled, credit}) {
      const receiver = connection.open_receiver({
        source,
        snd_settle_mode: isSettled ? settleModes.settled : settleModes.unsettled,
        credit_window: credit,
        autoaccept: false,
      });
      receiver.on('message', (context) => deliver(context, {isSettled, onMessage, life}));
      return settled(receiver, 'receiver_open');
    },
    details: {
      frameMax: connection.max_frame_size,
      ...(socket instanceof TLSSocket && describeTls(socket)),
    },
    async close(cleanUp = async () => {}) {
      const {isLost} = life;
      life.isFinished = true;
      const ending = async () => {
        await cleanUp();
        if (isLost) return;
        const ended = new Promise((resolve) => connection.once('connection_close', resolve));
        connection.close();
        await ended;
      };
      // Remaining queues expire, or the battle deletes them. A failed clean-up does not fail the run.
      await bounded(ending(), closeWithinMs).catch(() => {});
      cut();
    },
  };
}

/**
 * Closes a receiving link, and resolves when the broker has closed it or the connection is lost.
 * @param {Receiver} receiver @param {Pick<OpenedAmqp1, 'closed'>} opened
 */
export async function closeLink(receiver, {closed}) {
  if (receiver.is_closed()) return;
  const isEnded = new Promise((resolve) => receiver.once('receiver_close', resolve));
  receiver.close();
  await Promise.race([isEnded, closed.catch(() => {})]);
}

/** @param {EventContext} context @param {{isSettled: boolean, onMessage: OnDelivery, life: Life}} how */
function deliver({message, delivery}, {isSettled, onMessage, life}) {
  const payload = /** @type {Library.Message} */ (message).body?.content;
  if (!Buffer.isBuffer(payload))
    return life.fail(new Error('the broker delivered a message that has no data'));
  if (payload.length > maxPayloadBytes)
    return life.fail(
      new Error(`a message of ${payload.length} bytes; at most ${maxPayloadBytes} are allowed`),
    );
  // The library keeps a delivery until this end has settled it, too.
  if (isSettled) /** @type {any} */ (delivery).settled = true;
  onMessage(payload, /** @type {Delivery} */ (delivery), /** @type {Library.Message} */ (message));
}
