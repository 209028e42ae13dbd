import {setTimeout as sleep} from 'node:timers/promises';
import {TLSSocket} from 'node:tls';
import {onChannel} from '../../brokers/rabbitmq/connection.js';
import {pluginPortOf} from '../../brokers/rabbitmq/url.js';
import {PerfBattleError, RunError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls} from '../../net/tls.js';
import {clientCredentials} from '../../net/tls-files.js';
import {requireOptional} from '../../packages/load.js';
import {BufferedPublisher, SocketMessages, tooLarge} from '../windowed-publisher.js';

/**
 * @import {RoleSettings} from '../../brokers/kind.js'
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {OnOutcome} from '../windowed-publisher.js'
 * @import {RabbitmqStreamVariant} from './index.js'
 * @import {Channel} from 'amqplib'
 * @import {Socket} from 'node:net'
 * @import * as Library from 'rabbitmq-stream-js-client'
 * @import {Client} from 'rabbitmq-stream-js-client'
 * @import {Message} from 'rabbitmq-stream-js-client/dist/publisher.js'
 */

const need = {by: 'The stream protocol of RabbitMQ', install: 'rabbitmq-stream'};
const {connect, Offset} = /** @type {typeof Library} */ (requireOptional('rabbitmq-stream-js-client', need));

export {Offset};

/** RabbitMQ before 3.11 ends a connection that asks for command versions. The library always asks. */
const {Connection} = requireOptional('rabbitmq-stream-js-client/dist/connection.js', need);
const {exchangeCommandVersions} = Connection.prototype;
Connection.prototype.exchangeCommandVersions = async function () {
  const [major, minor] = String(this.peerProperties.version).split('.').map(Number);
  if (major > 3 || minor >= 11) await exchangeCommandVersions.call(this);
};

/**
/**
 * The library would use a closed connection again if the broker reports another host name than the configured one, because it then looks for
 * the connection under the wrong name.
 */
const {ConnectionPool} = requireOptional('rabbitmq-stream-js-client/dist/connection_pool.js', need);
ConnectionPool.prototype.removeCachedConnection = function (/** @type {object} */ closed) {
  for (const [name, connections] of this.connectionsMap)
    this.connectionsMap.set(
      name,
      connections.filter((/** @type {object} */ one) => one !== closed),
    );
};

/**
 * @typedef {RabbitmqStreamVariant & RoleSettings<RabbitmqConnection> & {findsQueue?: boolean}} StreamSettings
 *
 * @typedef {Library.Publisher & {queue: unknown[], connection: Link}} Publisher the library's types lack these fields
 *
 * @typedef {{socket: Socket, heartbeat: {stop(): void}}} Link a connection inside the library
 */

const openWithinMs = 10_000;
/** The bound keeps a broker that does not answer from delaying the end of a run. */
const closeWithinMs = 3000;
/** The requested maximum. The broker may allow less; its default is 1 MB. */
const maxFrameBytes = 64 * 1024 ** 2;
/** Maximum size of a frame with several messages. */
const maxBatchBytes = 1024 ** 2;
const retryMs = 50;
/** How long an existing stream must have had its leader, because the broker may just have started. */
const steadyMs = 500;

/**
 * Connects to the streams of a broker within a bound. The library has a connection for each stream and direction. No connection reconnects,
 * because a lost connection fails the trial.
 * @param {StreamSettings} options
 * @param {(channel: Channel) => Promise<string>} declare declares what is needed over AMQP 0-9-1, and resolves with the name of a stream
 * @returns {Promise<OpenedStreams>}
 * @throws {UnavailableError}
 *
 * @typedef {object} OpenedStreams
 * @property {Client} client
 * @property {Promise<void>} closed rejects when a connection is lost
 * @property {(error: Error) => void} fail reports a loss that another part noticed
 * @property {(stream: string, onLost?: () => void) => Promise<Publisher>} openPublisher onLost: is called instead of `fail` when the stream's
 *   connection ends
 * @property {(from: Reading, onMessage: (message: Message) => void) => Promise<Library.Consumer>} openConsumer
 * @property {(work: (channel: Channel) => Promise<any>) => Promise<any>} onChannel runs `work` over a short connection of AMQP 0-9-1
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: (channel: Channel) => Promise<unknown>) => Promise<void>} close closes the connections, then runs the clean-up
 *
 * @typedef {{stream: string, offset: Library.Offset, consumerRef?: string}} Reading consumerRef: the reference for stored offsets
 */
export async function openStreams(options, declare) {
  const {broker, noDelay, greetingMs: timeoutMs = openWithinMs, files, rabbitmqStreamBatch} = options;
  const overAmqp = (/** @type {(channel: Channel) => Promise<any>} */ work) =>
    onChannel(broker, {timeoutMs, files}, work);
  // AMQP 0-9-1 comes first, because it reports a refused user or virtual host. The library does not catch errors of its connection.
  const stream = await overAmqp(declare);
  const life = new Life('The connection to a RabbitMQ stream was lost');
  /** Whether connections use the configured address, instead of the address that the broker reports. */
  const addressResolver = /** @type {{enabled: any}} */ ({enabled: false});
  const client = await connectTo(options, {timeoutMs, life, addressResolver});
  /** @type {Set<Link>} */
  const links = new Set([/** @type {any} */ (client).locatorConnection]);
  const [{socket}] = links;
  const keep = (/** @type {Link} */ link) => {
    link.socket.setNoDelay(noDelay);
    links.add(link);
  };
  const onLost = () => life.fail(new Error('the broker closed it'));
  const cut = () => {
    life.isFinished = true;
    for (const {socket, heartbeat} of links) {
      heartbeat.stop();
      socket.destroy();
    }
  };
  const whenAvailable = (/** @type {() => Promise<any>} */ ask) =>
    Promise.race([bounded(untilAvailable(ask, performance.now() + timeoutMs), timeoutMs), life.closed]);
  try {
    addressResolver.enabled = await bounded(
      isAlone(client, stream, options.findsQueue ? steadyMs : 0),
      timeoutMs,
    );
  } catch (error) {
    cut();
    throw unavailable(broker, error);
  }
  return {
    client,
    closed: life.closed,
    fail: life.fail,
    async openPublisher(name, connectionClosedListener = onLost) {
      const declared = {stream: name, maxChunkLength: rabbitmqStreamBatch, connectionClosedListener};
      const publisher = /** @type {Publisher} */ (
        await whenAvailable(() => client.declarePublisher(declared))
      );
      keep(publisher.connection);
      return publisher;
    },
    async openConsumer(from, onMessage) {
      const declared = {...from, creditPolicy, connectionClosedListener: onLost};
      const consumer = /** @type {Library.Consumer & {connection: Link}} */ (
        await whenAvailable(() => client.declareConsumer(declared, onMessage))
      );
      keep(consumer.connection);
      return consumer;
    },
    onChannel: overAmqp,
    details: {frameMax: client.maxFrameSize, ...(socket instanceof TLSSocket && describeTls(socket))},
    async close(cleanUp = async () => {}) {
      const {isLost} = life;
      life.isFinished = true;
      if (!isLost) await bounded(client.close(), closeWithinMs).catch(() => {});
      cut();
      // The battle deletes remaining streams. A failed clean-up does not fail the run.
      await bounded(overAmqp(cleanUp), closeWithinMs).catch(() => {});
    },
  };
}

/**
 * The library's default policy: a new chunk for each completed chunk. The library does not catch the error of a request over a lost connection, which
 * would end the process. `closed` reports the loss.
 * @type {any}
 */
export const creditPolicy = {
  onSubscription: () => 1,
  async onChunkReceived() {},
  async onChunkCompleted(/** @type {(howMany: number) => Promise<void>} */ request) {
    await request(1).catch(() => {});
  },
};

/** @param {StreamSettings} options @param {{timeoutMs: number, life: Life, addressResolver: any}} how */
async function connectTo({broker, files}, {timeoutMs, life, addressResolver}) {
  const {protocol, hostname, username, password, vhost} = broker;
  const port = pluginPortOf(broker, 'stream');
  const ssl = protocol === 'amqps' ? {...clientCredentials(broker, files), rejectUnauthorized: true} : false;
  const listeners = {connection_closed: () => life.fail(new Error('the broker closed it'))};
  const frameMax = maxFrameBytes;
  const options = {hostname, port, username, password, vhost, listeners, addressResolver, frameMax};
  try {
    const opening = connect(/** @type {any} */ ({...options, ...(ssl && {ssl})}));
    return await bounded(opening, timeoutMs).catch((error) => {
      // The library continues to wait, and may connect later.
      opening.then((client) => client.close()).catch(() => {});
      throw error;
    });
  } catch (error) {
    throw unavailable(broker, error);
  }
}

/**
 * Returns whether the connected node is the only one with a stream. A proxy may then be in front of the node, which does not know the
 * proxy's address.
 * @param {Client} client @param {string} stream @param {number} steadyMs
 */
async function isAlone(client, stream, steadyMs) {
  const {leader, replicas} = await untilLed(client, stream, steadyMs);
  const {host, port} = client.getConnectionInfo();
  return (replicas ?? []).length === 0 && leader?.host === host && leader?.port === port;
}

/**
 * Repeats `ask` while a stream is unavailable: its leader may restart while a crashed broker recovers.
 * @param {() => Promise<any>} ask @param {number} untilMs by the clock of `performance`
 */
async function untilAvailable(ask, untilMs) {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const {message} = /** @type {Error} */ (error);
      if (!/not found on any node|not available/.test(message) || performance.now() > untilMs) throw error;
      await sleep(retryMs);
    }
  }
}

/**
 * Waits until a stream has a stable leader. RabbitMQ soon restarts the leader that a stream has after a start of the broker.
 * @param {Client} client @param {string} stream @param {number} steadyMs how long the leader must have been present
 */
async function untilLed(client, stream, steadyMs) {
  let sinceMs = performance.now();
  for (;;) {
    const [found] = await client.queryMetadata({streams: [stream]});
    const now = performance.now();
    if (!found?.leader) sinceMs = now;
    else if (now - sinceMs >= steadyMs) return found;
    await sleep(retryMs);
  }
}

/**
 * Returns the position where an earlier reader stopped.
 * @param {Client} client @param {string} stream
 * @returns {Promise<bigint>} the offset of the next message; 0: the first existing message
 */
export async function nextStored(client, stream) {
  try {
    return (await client.queryOffset({reference: stream, stream})) + 1n;
  } catch (error) {
    if (!noOffset.test(/** @type {Error} */ (error).message)) throw error;
    return 0n;
  }
}

/** The library's message for the response code NoOffset (https://www.rabbitmq.com/docs/stream-protocol#response-codes). */
const noOffset = /code 19$/;

/** @param {bigint} next the offset of a message; 0: of the first existing message */
export function offsetOf(next) {
  return next === 0n ? Offset.first() : Offset.offset(next);
}

/** @param {RabbitmqConnection} broker @param {unknown} cause */
function unavailable(broker, cause) {
  if (cause instanceof PerfBattleError && cause.code !== 'PB_NO_GREETING') return cause;
  const reason = cause instanceof Error ? cause.message : `it answered ${cause}`;
  return new UnavailableError(
    `The streams of the broker at ${joinAddress(broker.hostname, pluginPortOf(broker, 'stream'))} cannot be reached: ${reason}. It needs the plugin rabbitmq_stream; --rabbitmq-stream-port names another port.`,
    {code: 'PB_BROKER_UNAVAILABLE', cause},
  );
}

/** An upper bound on the size of a message without its payload. */
const overheadBytes = 1024;

/** The messages of one publisher, each with its confirm. The library writes the messages of one turn of the event loop together. */
export class Outgoing extends SocketMessages {
  #queuedBytes = 0;
  #sent = 0;
  /** @type {Map<number, OnOutcome>} */
  #waiting = new Map();

  /** @param {Publisher} publisher @param {Pick<OpenedStreams, 'client' | 'closed'> & {fail: (error: Error) => void}} opened */
  constructor(publisher, {client, closed, fail}) {
    super({socket: publisher.connection.socket, closed});
    this.publisher = publisher;
    this.maxBytes = client.maxFrameSize;
    this.lose = fail;
    publisher.on('publish_confirm', (code, ids) => {
      const refusal =
        code === null ? null : new RunError(`The broker refused a message: code ${code}.`, {code: 'PB_NACK'});
      for (const id of ids) this.#confirm(Number(id), refusal);
    });
  }

  /**
   * @param {Buffer} payload @param {{correlationId?: string, replyTo?: string}} messageProperties @param {OnOutcome} onConfirm
   * @throws {RunError} PB_NACK for a message that is too large
   */
  send(payload, messageProperties, onConfirm) {
    const bytes = payload.length + overheadBytes;
    if (bytes > this.maxBytes)
      throw tooLarge(
        'rabbitmq-stream',
        payload,
        this.maxBytes - overheadBytes,
        ', or raise stream.frame_max of the broker',
      );
    const {publisher} = this;
    if (publisher.queue.length === 0) this.#queuedBytes = 0;
    // The library would truncate a frame that is too large.
    if (this.#queuedBytes > 0 && this.#queuedBytes + bytes > Math.min(this.maxBytes, maxBatchBytes)) {
      publisher.flush().catch(this.lose);
      this.#queuedBytes = 0;
    }
    this.#queuedBytes += bytes;
    this.#sent += 1;
    this.#waiting.set(this.#sent, onConfirm);
    publisher.send(payload, {messageProperties}).catch(this.lose);
  }

  /** @param {number} id @param {RunError | null} refusal */
  #confirm(id, refusal) {
    const onConfirm = this.#waiting.get(id);
    this.#waiting.delete(id);
    onConfirm?.(refusal);
  }
}

/** Publishes one-way messages to a stream. A window bounds the unconfirmed messages, and the socket's buffer the unwritten messages. */
export class StreamPublisher extends BufferedPublisher {
  /** @param {Outgoing} outgoing @param {{window: number | undefined, closed: Promise<void>}} options */
  constructor(outgoing, {window, closed}) {
    super(outgoing, {window, isConfirmed: true, closed});
    this.outgoing = outgoing;
    this.properties = {};
  }

  /** @param {Buffer} payload @param {OnOutcome} onOutcome */
  post(payload, onOutcome) {
    this.outgoing.send(payload, this.properties, onOutcome);
  }
}
