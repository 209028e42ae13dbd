import {randomUUID} from 'node:crypto';
import {connect, createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {mean} from 'simple-statistics';
import {RunError} from '../errors.js';
import {loopbackAddress} from '../measure/network.js';
import {joinAddress, splitAddress} from '../net/address.js';
import {contractVersion, sentOf} from '../roles/programs/contract.js';
import {refuseImpossible} from '../roles/programs/plausible.js';
import {Program, SilentError} from '../roles/programs/program.js';
import {workloadResultOf} from '../roles/programs/workload-result.js';
import rabbitmq from '../transports/rabbitmq/index.js';
import {defaultWorkload, oneWayWorkload, workloads} from '../workloads/index.js';

/**
 * @import {Usage} from '../measure/types.js'
 * @import {RoleName} from '../messages.js'
 * @import {Arrived, ClientOptions, ProgramResult, events} from '../roles/programs/contract.js'
 * @import {Programs} from '../transports/external/index.js'
 * @import {AddressInfo, Server, Socket} from 'node:net'
 */

/** The time limit of an answer; a warm-up or a measurement may take seconds on a busy host. */
const answerMs = 10_000;
const measureMs = 30_000;
/** The time limit for the arrival of one-way messages. */
const arrivalMs = 5000;

/**
 * The options of a measurement. By default it has 100 round trips.
 * @typedef {{payloadBytes?: number, samples?: number | null, durationMs?: number | null, timeoutMs?: number, workload?: string,
 *   closingCall?: boolean, hitRatio?: number, rows?: number, reply?: ClientOptions['reply']}} Length
 */

/** A server and a client under test, with a relay between them. */
export class Pair {
  /** @type {Relay | null} */
  relay = null;
  /** The addresses that the client gets. @type {string[]} */
  #servers = [];
  /** The last configuration of the client. @type {ClientOptions | null} */
  #options = null;

  /** @param {{programs: Programs, broker: object | null}} given @param {AbortSignal} signal */
  constructor({programs, broker}, signal) {
    this.programs = programs;
    /** The options about the broker in each configuration. @type {{broker: Record<string, unknown> | null, prefix?: string, queue?: string, deliveryMode?: number}} */
    this.brokerOptions = {broker: null};
    if (broker !== null) {
      const prefix = `perf-battle-check-${randomUUID()}`;
      const ofRabbitmq = programs.broker === rabbitmq.broker && {queue: prefix, deliveryMode: 1};
      this.brokerOptions = {broker: {...broker}, prefix, ...ofRabbitmq};
    }
    this.signal = signal;
    this.server = new Program(programs.server, 'server');
    this.client = new Program(programs.client, 'client');
    /** All started programs; `close` stops them. @type {Program<any>[]} */
    this.started = [this.server, this.client];
  }

  /**
   * @template {RoleName} Role @template {keyof typeof events[Role] & string} Name
   * @param {Program<Role>} program @param {Name} name the name of an event, or of its phase
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

  /** @param {Length} length options that not all programs support */
  async knows(length) {
    try {
      const ready = [await this.configureServer(length), await this.configureClient(length)];
      return ready.every(({reply}) => reply === length.reply);
    } catch (error) {
      if (error instanceof SilentError || !(error instanceof RunError)) throw error;
      return false;
    }
  }

  /** @param {Program<'client'>} [client] @returns {Promise<number>} the number of one-way messages */
  async warmUp(client = this.client) {
    client.send({type: 'start'});
    return (await this.#next(client, 'warm')).sent ?? 0;
  }

  async measure() {
    await this.warmUp();
    return await this.result();
  }

  /** @param {Program<'client'>} [client] @returns {Promise<ProgramResult>} the result of the measured part */
  async result(client = this.client) {
    const begunAt = performance.now();
    client.send({type: 'go'});
    const {sent} = await this.#next(client, 'measured');
    const wallMs = performance.now() - begunAt;
    const result = await this.#next(client, 'result');
    if (this.#options) refuseImpossible(result, {wallMs, sent, options: this.#options});
    return result;
  }

  /** @returns {Promise<number>} the number of requests that the server answered since the last mark */
  async served() {
    return (await this.mark()).served;
  }

  /** @returns the counts of the server since the last mark */
  async mark() {
    this.server.send({type: 'mark'});
    return await this.#next(this.server, 'mark');
  }

  /** @returns {Promise<number>} messages since the last mark */
  async arrivedSoFar() {
    this.server.send({type: 'count'});
    return (await this.#next(this.server, 'count')).received;
  }

  /** Waits until the server has a number of messages since the last mark. @param {number} count */
  async arrival(count) {
    const deadline = performance.now() + arrivalMs;
    while ((await this.arrivedSoFar()) < count && performance.now() < deadline) await sleep(20);
  }

  /** @param {number} ms @returns {Promise<boolean>} whether all programs end within this time */
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
 * What the relay does with the replies of the server.
 * @typedef {{kind: 'pass'} | {kind: 'delay', ms: number} | {kind: 'change', afterBytes: number} | {kind: 'swallow'}} Treatment change: changes
 *   one byte, once, after `afterBytes` more bytes
 */

/** Relays TCP connections between the clients and the server. */
class Relay {
  /** @type {Treatment} */
  treatment = {kind: 'pass'};
  /** The number of bytes of all replies so far. */
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
    // Delayed replies are written before the connection ends.
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

/** The time limit for a client to report a failure. */
const noticeMs = 15_000;

/** @param {Pair} pair @param {Length} [length] */
export async function configure(pair, length = {}) {
  await pair.configureServer(length);
  await pair.configureClient(length);
}

/**
 * Sends one-way messages, and requires that all of them arrive.
 * @param {Pair} pair @param {Length} length
 * @returns {Promise<{result: ProgramResult, early: number, arrived: Arrived}>} early: the number of messages that had arrived when the client reported its result
 */
export async function sendOneWay(pair, length) {
  await configure(pair, {...length, workload: oneWayWorkload});
  const before = await pair.warmUp();
  if (!(before > 0)) fail('the client did not say how many messages its warm-up sent');
  await pair.arrival(before);
  await pair.mark();
  const result = await pair.result();
  const early = await pair.arrivedSoFar();
  const sent = sentOf(result);
  workloadResultOf(
    result,
    {...length, workload: workloads[oneWayWorkload], timeoutMs: 0},
    /** @type {Usage} */ ({}),
  );
  if (sent !== length.samples) fail(`the client sent ${sent} messages in place of ${length.samples}`);
  await pair.arrival(sent);
  const {arrived} = await pair.mark();
  if (arrived?.messages !== sent)
    return fail(`the server counted ${arrived?.messages ?? 0} of ${sent} messages`);
  if (arrived.corrupted > 0) fail(`${arrived.corrupted} of them had wrong content`);
  return {result, early, arrived};
}

/** @param {Pair} pair */
export function relayOf({relay}) {
  return relay ?? fail('the server has no address');
}

/** @param {ProgramResult} result @param {number} samples @param {Length} [length] */
export function requireClean(result, samples, length = {}) {
  const sent = sentOf(result);
  if (sent !== samples) fail(`the client has ${sent} samples in place of ${samples}`);
  const workload = workloads[length.workload ?? defaultWorkload];
  // A battle would refuse a wrong result, too.
  workloadResultOf(result, {window: 1, ...length, workload, timeoutMs: 0}, /** @type {Usage} */ ({}));
  if (isShort(result)) fail(`only ${result.received} of ${sent} requests had a reply`);
}

/** @param {ProgramResult} result */
export function isShort(result) {
  return (result.received ?? 0) < sentOf(result);
}

/** @param {ProgramResult} result */
export function meanMs({samplesNs = [], encoded}) {
  return encoded ? encoded.meanMs : mean(samplesNs) / 1e6;
}

/**
 * Measures, and requires that the client reports a failure: by an error, by its end, or in its result.
 * @param {Pair} pair @param {(result: ProgramResult) => boolean} isReported @param {string} what names the failure
 */
export async function noticed(pair, isReported, what) {
  const outcome = await Promise.race([
    pair.result().catch((error) => /** @type {Error} */ (error)),
    sleep(noticeMs, null, {ref: false}),
  ]);
  if (outcome === null || outcome instanceof SilentError)
    return fail(`the client did not notice ${what} within ${noticeMs / 1000} s`);
  if (outcome instanceof Error) return outcome.message;
  if (!isReported(outcome))
    fail(`the client reported ${sentOf(outcome)} good round trips in spite of ${what}`);
  return 'reported in its result';
}

/** Names the roles that still run. @param {Pair} pair */
export function running({started}) {
  const roles = started.filter(({process}) => process.failure === null).map(({role}) => `the ${role}`);
  return roles.join(' and ') || 'a process';
}
