import {TLSSocket} from 'node:tls';
import {onChannel, openSocket, unavailable, wrongProtocol} from '../../brokers/rabbitmq/connection.js';
import {pluginPortOf} from '../../brokers/rabbitmq/url.js';
import {PerfBattleError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {Life} from '../../net/life.js';
import {describeTls} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';

/**
 * @import {RoleSettings} from '../../brokers/kind.js'
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {StompVariant} from './index.js'
 * @import * as Library from '@stomp/stompjs'
 * @import {IFrame, IMessage, IStompSocket} from '@stomp/stompjs'
 * @import {Channel} from 'amqplib'
 * @import {Socket} from 'node:net'
 */

const {Client, Versions} = /** @type {typeof Library} */ (
  requireOptional('@stomp/stompjs', {by: 'STOMP', install: 'stomp'})
);

/**
 * @typedef {StompVariant & RoleSettings<RabbitmqConnection>} StompSettings
 *
 * @typedef {Readonly<Record<string, string>>} Headers
 *
 * @typedef {(payload: Buffer, message: IMessage) => void} OnMessage
 */

const openWithinMs = 10_000;
/** The bound keeps a broker that does not answer from delaying the end of a run. */
const closeWithinMs = 3000;

/** The STOMP destinations of queues and exchanges that were declared over AMQP 0-9-1 (https://www.rabbitmq.com/docs/stomp#d). */
export const destinations = {
  queue: (/** @type {string} */ name) => `/amq/queue/${encodeURIComponent(name)}`,
  exchange: (/** @type {string} */ name, /** @type {string} */ key) =>
    `/exchange/${encodeURIComponent(name)}/${encodeURIComponent(key)}`,
};

/**
 * Opens a STOMP 1.2 connection within a bound. The connection does not reconnect, because a lost connection fails the trial.
 * @param {StompSettings} options
 * @returns {Promise<OpenedStomp>}
 * @throws {UnavailableError} that names host, port, user and reason, never the password
 *
 * @typedef {object} OpenedStomp
 * @property {Socket} socket
 * @property {Promise<void>} closed rejects when the connection is lost
 * @property {(error: Error) => void} fail reports a loss that another part noticed
 * @property {(destination: string, payload: Buffer, headers: Headers, onReceipt: (() => void) | null) => void} send onReceipt: null: no receipt is
 *   requested; not called if the connection ends first
 * @property {(destination: string, onMessage: OnMessage, how: Subscribing) => Promise<Subscription>} subscribe resolves when the broker has confirmed
 *   the subscription
 * @property {(onReply: OnMessage) => void} onReply receives the messages of temporary queues, which need no subscription
 * @property {(work: (channel: Channel) => Promise<any>) => Promise<any>} onChannel runs `work` over a short connection of AMQP 0-9-1
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: () => Promise<unknown>) => Promise<void>} close runs the clean-up, then closes the connection, both within a bound
 *
 * @typedef {{prefetch: number | null}} Subscribing prefetch: maximum number of unacknowledged messages; null: messages need no acknowledgement
 *
 * @typedef {{end: () => Promise<void>}} Subscription end: resolves when no more messages come
 */
export async function openStomp(options) {
  const {broker, noDelay, greetingMs = openWithinMs, files} = options;
  const port = pluginPortOf(broker, 'stomp');
  const socket = openSocket(broker, {port, files}).setNoDelay(noDelay);
  const life = new Life('The STOMP connection was lost');
  socket.on('error', life.fail);
  socket.on('close', () => life.fail(new Error('the broker closed it')));
  const link = new SocketLink(socket, {
    opens: broker.protocol === 'amqp' ? 'connect' : 'secureConnect',
    url: joinAddress(broker.hostname, port),
    maxBodyBytes: maxPayloadBytes,
    fail: life.fail,
  });
  const receipts = new Receipts();
  /**
   * Handlers of ending subscriptions, by id. The library forgets a handler when it sends UNSUBSCRIBE, but messages may still arrive.
   * @type {Map<string, OnMessage>}
   */
  const ending = new Map();
  /** @type {OnMessage} */
  let onReply = () => {};
  const deliver = (/** @type {IMessage} */ message, /** @type {OnMessage} */ onMessage) => {
    link.frameEnded();
    const {buffer, byteOffset, length} = message.binaryBody;
    try {
      onMessage(Buffer.from(buffer, byteOffset, length), message);
    } catch (error) {
      // The library would only print the error.
      life.fail(/** @type {Error} */ (error));
    }
  };
  const client = new Client({
    ...sessionOf(broker),
    webSocketFactory: () => link,
    onUnhandledReceipt: ({headers}) => {
      link.frameEnded();
      receipts.take(headers['receipt-id']);
    },
    onUnhandledMessage: (message) => deliver(message, ending.get(message.headers.subscription) ?? onReply),
    onStompError: (frame) => life.fail(errorOf(frame)),
    onHeartbeatLost: () => life.fail(new Error('the broker sent no heartbeat')),
    // A half-closed socket would wait for a silent broker.
    discardWebsocketOnCommFailure: true,
  });
  const cut = () => {
    life.isFinished = true;
    socket.destroy();
  };
  try {
    const connected = new Promise((resolve) => {
      client.onConnect = resolve;
    });
    client.activate();
    await bounded(Promise.race([connected, life.lost]), greetingMs);
    link.frameEnded();
  } catch (error) {
    cut();
    throw unopened(broker, /** @type {Error} */ (error));
  }
  const {closed} = life;
  const receipted = (/** @type {(receipt: string) => void} */ ask) =>
    Promise.race([new Promise((resolve) => ask(receipts.expect(() => resolve(null)))), closed]);
  let subscriptions = 0;
  return {
    socket,
    closed,
    fail: life.fail,
    send(destination, binaryBody, headers, onReceipt) {
      if (!client.connected) return;
      const asking = onReceipt === null ? headers : {...headers, receipt: receipts.expect(onReceipt)};
      client.publish({destination, binaryBody, headers: asking});
    },
    async subscribe(destination, onMessage, {prefetch}) {
      subscriptions += 1;
      const id = String(subscriptions);
      const how =
        prefetch === null ? {ack: 'auto'} : {ack: 'client-individual', 'prefetch-count': String(prefetch)};
      await receipted((receipt) =>
        client.subscribe(destination, (message) => deliver(message, onMessage), {id, receipt, ...how}),
      );
      return {
        async end() {
          ending.set(id, onMessage);
          await receipted((receipt) => client.unsubscribe(id, {receipt}));
          ending.delete(id);
        },
      };
    },
    onReply(handler) {
      onReply = handler;
    },
    onChannel: (work) => onChannel(broker, {timeoutMs: greetingMs, files}, work),
    details: socket instanceof TLSSocket ? describeTls(socket) : {},
    async close(cleanUp = async () => {}) {
      const {isLost} = life;
      life.isFinished = true;
      const ending = async () => {
        await cleanUp();
        if (!isLost) await client.deactivate();
      };
      // Remaining queues expire, or the battle deletes them. A failed clean-up does not fail the run.
      await bounded(ending(), closeWithinMs).catch(() => {});
      cut();
    },
  };
}

/** The requested receipts that have not arrived. */
class Receipts {
  #asked = 0;
  /** @type {Map<string, () => void>} */
  #waiting = new Map();

  /** @param {() => void} onReceipt @returns {string} the id of the receipt to request */
  expect(onReceipt) {
    this.#asked += 1;
    const id = String(this.#asked);
    this.#waiting.set(id, onReceipt);
    return id;
  }

  /** @param {string} id */
  take(id) {
    const onReceipt = this.#waiting.get(id);
    this.#waiting.delete(id);
    onReceipt?.();
  }
}

/** @param {RabbitmqConnection} broker */
function sessionOf({username: login, password: passcode, vhost: host}) {
  return {
    connectHeaders: {login, passcode, host},
    stompVersions: new Versions([Versions.V1_2]),
    reconnectDelay: 0,
  };
}

/** @param {IFrame} frame an ERROR, after which a broker ends the connection */
function errorOf({headers, body}) {
  const [reason] = body.split('\n');
  return new Error((reason || headers.message || 'it reported an error').replace(/\.+$/, ''));
}

/** @param {RabbitmqConnection} broker @param {Error & {code?: string}} error */
function unopened(broker, error) {
  if (error instanceof PerfBattleError && error.code !== 'PB_NO_GREETING') return error;
  const {code = '', message} = error;
  const at = {...broker, port: pluginPortOf(broker, 'stomp')};
  if (/access (refused|denied)/i.test(message))
    return unavailable(at, new Error(`ACCESS_REFUSED with message "${message}"`));
  if (code === 'ECONNREFUSED')
    return new UnavailableError(
      `STOMP of the broker at ${joinAddress(at.hostname, at.port)} cannot be reached: ${message}. It needs the plugin rabbitmq_stomp; --rabbitmq-stomp-port names another port.`,
      {code: 'PB_BROKER_UNAVAILABLE', cause: error},
    );
  // A listener that closes before it has read everything sends a reset, which discards its answer.
  if (code === '' || code === 'ECONNRESET')
    return wrongProtocol(at, 'STOMP', message, 'RabbitMQ does with its plugin rabbitmq_stomp');
  return unavailable(at, error);
}

/** An upper bound on the size of a frame without its body. */
const overheadBytes = 64 * 1024;

/**
 * Adapts a TCP or TLS socket to the WebSocket interface that the STOMP library expects. Frames of one turn of the event loop are written
 * together.
 * @implements {IStompSocket}
 */
export class SocketLink {
  /** @type {IStompSocket['onopen']} */
  onopen = null;
  /** @type {IStompSocket['onclose']} */
  onclose = null;
  /** @type {IStompSocket['onerror']} */
  onerror = null;
  /** @type {IStompSocket['onmessage']} */
  onmessage = null;
  /** The state as in WebSocket: 0 connecting, 1 open, 2 closing, 3 closed. */
  readyState = 0;
  /** The number of bytes since the end of the last frame. */
  #unfinishedBytes = 0;

  /**
   * @param {Socket} socket
   * @param {{opens: 'connect' | 'secureConnect', url: string, maxBodyBytes: number, fail: (error: Error) => void}} how maxBodyBytes: `fail` is called
   *   for a longer body, because the library would buffer it without a bound
   */
  constructor(socket, {opens, url, maxBodyBytes, fail}) {
    this.socket = socket;
    this.url = url;
    socket.once(opens, () => {
      this.readyState = 1;
      this.onopen?.({});
    });
    socket.on('data', (data) => {
      this.#unfinishedBytes += data.length;
      this.onmessage?.({data});
      if (this.#unfinishedBytes <= maxBodyBytes + overheadBytes) return;
      fail(new Error(`the broker sent a frame of more than ${maxBodyBytes} bytes`));
      socket.destroy();
    });
    socket.on('close', () => {
      this.readyState = 3;
      this.onclose?.({});
    });
  }

  frameEnded() {
    this.#unfinishedBytes = 0;
  }

  /** @param {string | ArrayBuffer} data */
  send(data) {
    const {socket} = this;
    if (socket.destroyed) return;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(typeof data === 'string' ? data : new Uint8Array(data));
  }

  close() {
    this.readyState = 2;
    this.socket.end();
  }

  terminate() {
    this.socket.destroy();
  }
}
