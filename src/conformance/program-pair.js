import {randomUUID} from 'node:crypto';
import {connect, createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {RunError} from '../errors.js';
import {loopbackAddress} from '../measure/network.js';
import {joinAddress, splitAddress} from '../net/address.js';
import {contractVersion} from '../roles/programs/contract.js';
import {refuseImpossible} from '../roles/programs/plausible.js';
import {Program, SilentError} from '../roles/programs/program.js';
import rabbitmq from '../transports/rabbitmq/index.js';
import {defaultWorkload} from '../workloads/index.js';

/**
 * @import {Programs} from '../transports/external/index.js'
 * @import {RoleName} from '../messages.js'
 * @import {ClientOptions, ProgramResult, events} from '../roles/programs/contract.js'
 * @import {AddressInfo, Server, Socket} from 'node:net'
 */

/** How long a program may take for each answer, and for a warm-up or a measurement, which lasts seconds on a busy host. */
const answerMs = 10_000;
const measureMs = 30_000;
/** What was sent one way has arrived by then. */
const arrivalMs = 5000;

/**
 * A measurement to ask for. Without bounds it has 100 round trips.
 * @typedef {{payloadBytes?: number, samples?: number | null, durationMs?: number | null, timeoutMs?: number, workload?: string,
 *   closingCall?: boolean, hitRatio?: number, rows?: number, reply?: ClientOptions['reply']}} Length
 */

/** A server and a client under test, with a relay between them. */
export class Pair {
  /** @type {Relay | null} */
  relay = null;
  /** Where the client finds the server. @type {string[]} */
  #servers = [];
  /** What the client was configured with last. @type {ClientOptions | null} */
  #options = null;

  /** @param {{programs: Programs, broker: object | null}} given @param {AbortSignal} signal */
  constructor({programs, broker}, signal) {
    this.programs = programs;
    /** What each message about a broker holds. @type {{broker: Record<string, unknown> | null, prefix?: string, queue?: string, deliveryMode?: number}} */
    this.brokerOptions = {broker: null};
    if (broker !== null) {
      const prefix = `perf-battle-check-${randomUUID()}`;
      const ofRabbitmq = programs.broker === rabbitmq.broker && {queue: prefix, deliveryMode: 1};
      this.brokerOptions = {broker: {...broker}, prefix, ...ofRabbitmq};
    }
    this.signal = signal;
    this.server = new Program(programs.server, 'server');
    this.client = new Program(programs.client, 'client');
    /** All programs, for the end. @type {Program<any>[]} */
    this.started = [this.server, this.client];
  }

  /**
   * Waits for what a program was asked for.
   * @template {RoleName} Role
   * @template {keyof typeof events[Role] & string} Name
   * @param {Program<Role>} program @param {Name} name of an event, or of its phase
   */
  #next(program, name) {
    return program.next(name, this.signal, name === 'warm' || name === 'measured' ? measureMs : answerMs);
  }

  /** @param {Length} [length] @returns the ready event */
  async configureServer(length = {}) {
    const options = {...this.#shared(length), listenAddress: loopbackAddress(), serverPort: 0};
    this.server.send({type: 'configure', options});
    const ready = await this.#next(this.server, 'ready');
    if (ready.address !== null && this.relay === null) {
      this.relay = new Relay(ready.address);
      this.#servers = [await this.relay.listen()];
    }
    return ready;
  }

  /** @param {Length} [length] @param {Program<'client'>} [client] @returns the ready event */
  async configureClient(length = {}, client = this.client) {
    this.#options = this.clientOptions(length);
    client.send({type: 'configure', options: this.#options});
    return await this.#next(client, 'ready');
  }

  /** @param {Length} length @returns {ClientOptions} */
  clientOptions({samples = 100, durationMs = null, closingCall = false, hitRatio, ...rest}) {
    const shared = this.#shared(rest);
    const warmUp = [{payloadBytes: shared.payloadBytes, samples: 50, durationMs: 1000}];
    const length = {warmUp, samples, durationMs, closingCall};
    const client = {servers: this.#servers, client: 0, window: 1, ...(hitRatio !== undefined && {hitRatio})};
    return {...shared, ...client, ...length};
  }

  /** @param {Length} length that not all programs know @returns {Promise<boolean>} */
  async knows(length) {
    try {
      const ready = [await this.configureServer(length), await this.configureClient(length)];
      return ready.every(({reply}) => reply === length.reply);
    } catch (error) {
      if (error instanceof SilentError || !(error instanceof RunError)) throw error;
      return false;
    }
  }

  /** @param {Program<'client'>} [client] @returns {Promise<number>} messages that were sent one way */
  async warmUp(client = this.client) {
    client.send({type: 'start'});
    return (await this.#next(client, 'warm')).sent ?? 0;
  }

  /** Warms up and measures. @returns {Promise<ProgramResult>} */
  async measure() {
    await this.warmUp();
    return await this.result();
  }

  /** @param {Program<'client'>} [client] @returns {Promise<ProgramResult>} of the measured part */
  async result(client = this.client) {
    const begunAt = performance.now();
    client.send({type: 'go'});
    const {sent} = await this.#next(client, 'measured');
    const wallMs = performance.now() - begunAt;
    const result = await this.#next(client, 'result');
    if (this.#options) refuseImpossible(result, {wallMs, sent, options: this.#options});
    return result;
  }

  /** @returns {Promise<number>} the requests that the server answered since the last mark */
  async served() {
    return (await this.mark()).served;
  }

  /** @returns what the server has had since the last mark */
  async mark() {
    this.server.send({type: 'mark'});
    return await this.#next(this.server, 'mark');
  }

  /** @returns {Promise<number>} messages since the last mark */
  async arrivedSoFar() {
    this.server.send({type: 'count'});
    return (await this.#next(this.server, 'count')).received;
  }

  /** Waits for messages that are still on their way. @param {number} count since the last mark */
  async arrival(count) {
    const deadline = performance.now() + arrivalMs;
    while ((await this.arrivedSoFar()) < count && performance.now() < deadline) await sleep(20);
  }

  /** Whether all programs end within a time. @param {number} ms @returns {Promise<boolean>} */
  async endWithin(ms) {
    const ended = Promise.all(this.started.map(({process}) => process.exited)).then(() => true);
    return await Promise.race([ended, sleep(ms, false, {ref: false})]);
  }

  /** @param {Length} length */
  #shared({
    payloadBytes = 1024,
    timeoutMs = 5000,
    workload = defaultWorkload,
    reply = /** @type {ClientOptions['reply']} */ ('echo'),
    rows,
  }) {
    const options = {workload, payloadBytes, reply, verify: 1, timeoutMs, seed: 1, noDelay: true};
    return {contract: contractVersion, ...options, ...(rows !== undefined && {rows}), ...this.brokerOptions};
  }

  async close() {
    this.relay?.close();
    await Promise.all(this.started.map((program) => program.stop()));
  }
}

/** @param {string} sentence @returns {never} */
export function fail(sentence) {
  throw new RunError(sentence, {code: 'PB_ADAPTER'});
}

/**
 * What is done with the replies of a server on their way.
 * @typedef {{kind: 'pass'} | {kind: 'delay', ms: number} | {kind: 'change', afterBytes: number} | {kind: 'swallow'}} Treatment change: one byte,
 *   once, after so many more bytes
 */

/** Stands between the clients and a server that they reach over TCP. */
class Relay {
  /** @type {Treatment} */
  treatment = {kind: 'pass'};
  /** Of replies, so far. */
  bytes = 0;
  /** @type {Set<Socket>} */
  #sockets = new Set();
  /** @type {Server} */
  #server;

  /** @param {string} target host:port of the server */
  constructor(target) {
    const {host, port} = splitAddress(target);
    this.#server = createServer({noDelay: true}, (client) => {
      const server = connect({host, port, noDelay: true});
      this.#join(client, server);
    });
  }

  /** @returns {Promise<string>} host:port for clients */
  listen() {
    const address = loopbackAddress();
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, address, () => {
        const {port} = /** @type {AddressInfo} */ (this.#server.address());
        resolve(joinAddress(address, port));
      });
    });
  }

  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @param {Socket} client @param {Socket} server */
  #join(client, server) {
    client.pipe(server);
    // Replies that are delayed come before the end of the connection.
    let turn = Promise.resolve();
    server.on('data', (chunk) => {
      const {treatment} = this;
      this.bytes += chunk.length;
      if (treatment.kind === 'delay') {
        const due = sleep(treatment.ms);
        turn = turn.then(() => due).then(() => void client.write(chunk));
      } else if (treatment.kind !== 'swallow') client.write(this.#changed(chunk));
    });
    client.on('close', () => server.destroy());
    server.on('close', () => turn.then(() => client.destroySoon()));
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }

  /** @param {Buffer} chunk */
  #changed(chunk) {
    const {treatment} = this;
    if (treatment.kind !== 'change') return chunk;
    const at = treatment.afterBytes;
    treatment.afterBytes -= chunk.length;
    if (at < 0 || at >= chunk.length) return chunk;
    const changed = Buffer.from(chunk);
    changed[at] ^= 1;
    this.treatment = {kind: 'pass'};
    return changed;
  }
}
