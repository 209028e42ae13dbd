import {TLSSocket} from 'node:tls';
import {onChannel, openSocket, unavailable, wrongProtocol} from '../../brokers/rabbitmq/connection.js';
import {pluginPortOf} from '../../brokers/rabbitmq/url.js';
import {PerfBattleError, UnavailableError} from '../../errors.js';
import {joinAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {describeTls} from '../../net/tls.js';
import {requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {Life} from '../life.js';

/**
 * @import {RabbitmqConnection} from '../../brokers/rabbitmq/url.js'
 * @import {StompVariant} from './index.js'
 * @import * as Library from '@stomp/stompjs'
 * @import {IFrame, IMessage, IStompSocket} from '@stomp/stompjs'
 * @import {Channel} from 'amqplib'
 * @import {Socket} from 'node:net'
 */

/** The library of STOMP, which is no dependency of perf-battle. */
const {Client, Versions} = /** @type {typeof Library} */ (
  requireOptional('@stomp/stompjs', {by: 'STOMP', install: 'stomp'})
);

/**
 * @typedef {StompVariant & {broker: RabbitmqConnection, noDelay: boolean, greetingMs?: number, files?: Readonly<Record<string, string>>}} StompSettings
 *
 * @typedef {Readonly<Record<string, string>>} Headers
 *
 * @typedef {(payload: Buffer, message: IMessage) => void} OnMessage
 */

const openWithinMs = 10_000;
/** A broker that does not answer must not delay the end of a run. */
const closeWithinMs = 3000;

/** Where STOMP finds what was declared in another way (https://www.rabbitmq.com/docs/stomp#d). */
export const destinations = {
  queue: (/** @type {string} */ name) => `/amq/queue/${encodeURIComponent(name)}`,
  exchange: (/** @type {string} */ name, /** @type {string} */ key) =>
    `/exchange/${encodeURIComponent(name)}/${encodeURIComponent(key)}`,
};

/**
 * Opens a connection of STOMP 1.2 within a bound. It does not reconnect: a trial that lost its connection has failed.
 * @param {StompSettings} options
 * @returns {Promise<OpenedStomp>}
 * @throws {UnavailableError} which names host, port, user and reason, and never the password
 *
 * @typedef {object} OpenedStomp
 * @property {Socket} socket
 * @property {Promise<void>} closed rejects when the connection is lost
 * @property {(error: Error) => void} fail reports a loss that was noticed elsewhere
 * @property {(destination: string, payload: Buffer, headers: Headers, onReceipt: (() => void) | null) => void} send onReceipt: null: no receipt is asked for;
 *   it is not called when the connection ends before
 * @property {(destination: string, onMessage: OnMessage, how: Subscribing) => Promise<Subscription>} subscribe resolves when the broker has subscribed
 * @property {(onReply: OnMessage) => void} onReply gets what arrives in temporary queues, to which nobody subscribes
 * @property {(work: (channel: Channel) => Promise<any>) => Promise<any>} onChannel does something over a connection of AMQP 0-9-1, which ends after it
 * @property {Record<string, unknown>} details
 * @property {(cleanUp?: () => Promise<unknown>) => Promise<void>} close runs a clean-up first, both within a bound
 *
 * @typedef {{prefetch: number | null}} Subscribing prefetch: how many messages may be unacknowledged; null: none is acknowledged
 *
 * @typedef {{end: () => Promise<void>}} Subscription end: resolves when no more messages come
 */
export async function openStomp(options) {
  const {broker, noDelay, greetingMs = openWithinMs, files} = options;
  const port = pluginPortOf(broker, 'stomp');
  const socket = openSocket(broker, {port, files}).setNoDelay(noDelay);
  const life = new Life('The STOMP connection was lost');
  socket.on('error', (error) => life.fail(error));
  socket.on('close', () => life.fail(new Error('the broker closed it')));
  const link = new SocketLink(socket, {
    opens: broker.protocol === 'amqp' ? 'connect' : 'secureConnect',
    url: joinAddress(broker.hostname, port),
    maxBodyBytes: maxPayloadBytes,
    fail: (error) => life.fail(error),
  });
  const receipts = new Receipts();
  /** What the library forgets when it asks for the end of a subscription, after which messages may still come. @type {Map<string, OnMessage>} */
  const ending = new Map();
  /** @type {OnMessage} */
  let onReply = () => {};
  const deliver = (/** @type {IMessage} */ message, /** @type {OnMessage} */ onMessage) => {
    link.frameEnded();
    const {buffer, byteOffset, length} = message.binaryBody;
    try {
      onMessage(Buffer.from(buffer, byteOffset, length), message);
    } catch (error) {
      // The library would only print it.
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
    // A socket that is only half closed would wait for a silent broker.
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
    fail: (error) => life.fail(error),
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
      // What was not deleted expires, or the battle deletes it. A run does not fail for that.
      await bounded(ending(), closeWithinMs).catch(() => {});
      cut();
    },
  };
}

/** The receipts that a broker owes. */
class Receipts {
  #asked = 0;
  /** @type {Map<string, () => void>} */
  #waiting = new Map();

  /** @param {() => void} onReceipt @returns {string} the id of the receipt to ask for */
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
  if (code === '') return wrongProtocol(at, 'STOMP', message, 'RabbitMQ does with its plugin rabbitmq_stomp');
  return unavailable(at, error);
}

/** What a frame has beside its body, amply. */
const overheadBytes = 64 * 1024;

/**
 * A socket of TCP or TLS in the shape of the WebSocket that the library of STOMP expects. What is sent within one turn of the event loop is written
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
  /** Of a WebSocket: connecting, open, closing, closed. */
  readyState = 0;
  /** Since the last frame ended. */
  #unfinishedBytes = 0;

  /**
   * @param {Socket} socket
   * @param {{opens: 'connect' | 'secureConnect', url: string, maxBodyBytes: number, fail: (error: Error) => void}} how maxBodyBytes: `fail` is called for
   *   more, which the library would keep without a bound
   */
  constructor(socket, {opens, url, maxBodyBytes, fail}) {
    this.socket = socket;
    this.url = url;
    socket.once(opens, () => {
      this.readyState = 1;
      this.onopen?.({});
    });
    socket.on('data', (/** @type {any} */ data) => {
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
