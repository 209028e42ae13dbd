import {randomUUID} from 'node:crypto';
import {brokerKindNamed} from '../brokers/index.js';
import {provisionBroker} from '../brokers/provision.js';
import {loopbackAddress} from '../measure/network.js';
import {wholeClient, wholeServer} from '../roles/run-role.js';

/**
 * @import {BrokerKind} from '../brokers/kind.js'
 * @import {BringBroker, Capability, Client, OnRequest, Server, Transport} from '../transports/transport.js'
 * @import {Check} from './run-checks.js'
 *
 * @typedef {Readonly<Record<string, unknown>>} GivenSettings by the keys of the options; `broker` is the connection to a broker
 *
 * @typedef {Check<Pair> & {needs: Capability, overSocket?: boolean, onConnection?: boolean, handles?: boolean}} TransportCheck overSocket: the client must
 *   reach the server without a broker; onConnection: all requests must share a connection; handles: the server does not just send back the request
 */

/** The time limit for a server to accept a connection. */
const greetingMs = 10_000;

/** A server and its clients in this process. */
export class Pair {
  /** @type {Server | null} */
  #server = null;
  /** @type {Client[]} */
  #clients = [];
  #load = {concurrency: 1, broadcasts: false};
  /** @type {(error: unknown) => void} */
  #failHandler = () => {};

  /** @param {Transport} transport @param {GivenSettings} given override defaults */
  constructor(transport, given) {
    this.transport = transport;
    this.settings = settingsOf(transport, given);
    /** Rejects when the handler of a request fails. @type {Promise<never>} */
    this.handlerFailed = new Promise((_, reject) => {
      this.#failHandler = reject;
    });
    this.handlerFailed.catch(() => {});
  }

  /** @param {(...call: Parameters<OnRequest>) => void | Promise<void>} onRequest @param {{concurrency?: number, broadcasts?: boolean}} [load] concurrency: the maximum of requests in flight */
  async open(onRequest, {concurrency = 1, broadcasts = false} = {}) {
    this.#load = {concurrency, broadcasts};
    const {serve} = await /** @type {Required<Transport>} */ (this.transport).server();
    const where = {listenAddress: loopbackAddress(), serverPort: 0, noDelay: true};
    const server = await serve({...where, ...this.settings}, this.#handled(onRequest));
    this.#server = wholeServer(server, this.transport.name);
    this.#server.closed.catch(() => {});
    return await this.connect();
  }

  /** @param {(...call: Parameters<OnRequest>) => void | Promise<void>} onRequest @returns {OnRequest} */
  #handled(onRequest) {
    return async (request, reply) => {
      try {
        await onRequest(request, reply);
      } catch (error) {
        this.#failHandler(error);
      }
    };
  }

  /** @returns {Promise<Client>} a new client; without an open server, it only uses the broker */
  async connect() {
    const {connect} = await /** @type {Required<Transport>} */ (this.transport).client();
    const idOf = (/** @type {Buffer} */ message) =>
      message.length < 4 ? Number.NaN : message.readUInt32BE(0);
    const correlation = {ofRequest: idOf, ofReply: idOf, onStray: () => {}};
    const client = await connect({
      ...{
        servers: this.#server === null ? [] : [this.#server.address ?? ''],
        ...this.#load,
        greetingMs,
        hasServer: this.#server !== null,
      },
      ...{
        correlation: this.#load.concurrency > 1 ? correlation : null,
        noDelay: true,
        client: this.#clients.length,
      },
      ...this.settings,
    });
    const whole = wholeClient(client, this.transport.name);
    whole.closed.catch(() => {});
    this.#clients.push(whole);
    return whole;
  }

  async closeServer() {
    await this.#server?.close();
  }

  async close() {
    // Errors are ignored here: the checks have tested `close`, and this call only cleans up.
    await Promise.allSettled(this.#clients.map((client) => client.close()));
    await Promise.allSettled([this.closeServer()]);
  }
}

/**
 * @param {Pick<Transport, 'options' | 'complete'>} transport @param {GivenSettings} given override defaults
 * @returns {Record<string, unknown>}
 */
export function settingsOf({options, complete}, given) {
  const defaults = Object.fromEntries(options.map((option) => [option.key, option.default]));
  const values = {...defaults, ...given};
  return {...values, ...complete?.(values)};
}

/**
 * Starts a private broker for a transport that needs one.
 * @param {Omit<Transport, 'broker'> & {broker: string | BringBroker}} transport as declared
 * @param {GivenSettings} given override the defaults of the transport's options
 * @param {AbortSignal} signal
 * @returns {Promise<{settings: GivenSettings, release: () => Promise<void>}>} settings: the connection to the broker, and unique names on the broker
 */
export async function startBroker(transport, given, signal) {
  const {brokerSettings, brokersOf} = transport;
  const variant = settingsOf(transport, given);
  const broker = brokersOf?.(variant)[0] ?? transport.broker;
  const kind = typeof broker === 'string' ? brokerKindNamed(broker) : (await broker()).default;
  const asked = brokerSettings?.(variant) ?? {};
  const request = {given: null, settings: asked, log: () => {}, signal};
  const provisioned = await provisionBroker(kind, {choice: 'private', ...request});
  const settings = {broker: provisioned.connection, ...uniqueNames(kind)};
  return {settings, release: () => provisioned.release()};
}

/** Unique names of the queues, exchanges, subjects and other objects that a pair creates on a broker. @param {BrokerKind} kind */
export function uniqueNames({nameOptions}) {
  const id = randomUUID();
  return Object.fromEntries(nameOptions.map(({key}) => [key, `perf-battle-check-${key}-${id}`]));
}
