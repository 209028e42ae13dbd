import {setTimeout as sleep} from 'node:timers/promises';
import {PerfBattleError, RunError} from '../errors.js';
import {joinAddress} from '../net/address.js';
import {bounded} from '../net/bounded.js';
import {isUnchecked} from '../payload/message-check.js';
import {sequenceBytes, sequenceOf} from '../payload/stamp.js';

/**
 * @import {Answer} from '../payload/message-check.js'
 * @import {ClientSettings} from '../messages.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Client, Connect, ConnectSettings, Correlation} from '../transports/transport.js'
 * @import {WorkloadRole} from '../workloads/workload.js'
 * @import {Role} from './script.js'
 */

/**
 * @typedef {ClientSettings & ByHand} ClientRoleSettings
 *
 * @typedef {object} ByHand
 * @property {string} serverAddress host of the server, for a client by hand
 * @property {number} serverPort
 * @property {number} [connectTimeoutMs] how long a client by hand waits for a server that has not started yet
 * @property {Answer} [answer] the reply of the server
 */

/** `--timeout` bounds requests only. On a busy host, accepting a connection may take longer, but nothing is measured yet. */
const greetingMs = 10_000;

/** In a battle the server is ready before a client connects. But all nodes of a cluster know its consumer only after some time. */
const knownWithinMs = 5000;

/** The connection of a client. The client measures all of its cells over this connection, one after the other. */
export class Connection {
  /** @param {Connect} connect @param {Role<ClientRoleSettings>} role */
  constructor(connect, {output, signal}) {
    this.connect = connect;
    this.output = output;
    this.signal = signal;
    /** Counts replies that match no request in flight. */
    this.strays = {count: 0};
    /** Set by `prepareFor`. @type {Client} */
    this.client = /** @type {any} */ (null);
    /** @type {ConnectSettings & ClientRoleSettings} */
    this.options = /** @type {any} */ (null);
    this.isNew = true;
    this.retransmissionsOfClosed = 0;
  }

  /** Counts the transport's own retransmissions so far; null if it leaves them to TCP. */
  get retransmissions() {
    const {retransmissions} = this.client;
    return retransmissions ? this.retransmissionsOfClosed + retransmissions() : null;
  }

  /**
   * Connects for the first cell. Further cells use the same connection, unless they match replies with requests in another way.
   * @param {ClientRoleSettings} options @param {WorkloadRole} workload @param {PayloadRing} ring
   */
  async prepareFor(options, workload, ring) {
    const concurrency = workload.concurrency(options);
    const correlation = makeCorrelation({ring, concurrency, answer: options.answer, strays: this.strays});
    const servers = options.servers ?? [joinAddress(options.serverAddress, options.serverPort)];
    const fits = !this.isNew && (correlation === null) === (this.options.correlation === null);
    const {hasServer, broadcasts = false} = workload;
    this.options = {...options, servers, concurrency, correlation, hasServer, broadcasts, greetingMs};
    if (fits) return;
    await this.close();
    const {timeoutMs, connectTimeoutMs} = options;
    this.client = await this.#open({
      waitMs: connectTimeoutMs ?? knownWithinMs,
      attemptMs: Math.max(timeoutMs, Math.min(greetingMs, connectTimeoutMs ?? greetingMs)),
      option: connectTimeoutMs === undefined ? null : '--connect-timeout',
    });
    this.isNew = false;
  }

  /**
   * Closes the client and reconnects.
   * @param {{toNextServer?: boolean, waitMs?: number}} [how] toNextServer: connect to the next of several servers, or of several nodes of a broker; waitMs:
   *   how long to retry while no server listens; default: the timeout
   * @returns {Promise<boolean>} false when the server did not answer within the timeout
   */
  async renew({toNextServer = false, waitMs = this.options.timeoutMs} = {}) {
    const {timeoutMs, servers, brokers = []} = this.options;
    if (toNextServer) {
      const others = rotated(brokers);
      this.options = {...this.options, servers: rotated(servers), brokers: others};
      if (others.length > 0) this.options = {...this.options, broker: others[0]};
    }
    await this.close();
    try {
      this.client = await this.#open({waitMs, attemptMs: timeoutMs, option: '--timeout'});
      return true;
    } catch (error) {
      if (isUnanswered(error)) return false;
      throw error;
    }
  }

  /** Opens an additional connection. @returns {Promise<Client>} must be closed by the caller */
  async another() {
    const {timeoutMs} = this.options;
    return await this.#connect({
      waitMs: timeoutMs,
      attemptMs: Math.max(timeoutMs, greetingMs),
      option: '--timeout',
    });
  }

  async close() {
    await this.client?.close();
  }

  /** @param {{waitMs: number, attemptMs: number, option: string | null}} patience */
  async #open(patience) {
    const client = await this.#connect(patience);
    this.retransmissionsOfClosed += this.client?.retransmissions?.() ?? 0;
    return client;
  }

  /** @param {{waitMs: number, attemptMs: number, option: string | null}} patience */
  async #connect(patience) {
    const {signal, output} = this;
    return await connectPatiently(
      () => this.connect({...this.options, greetingMs: patience.attemptMs, ending: signal}),
      {
        ...{...patience, signal},
        onWait: (text) => output.warn(text),
      },
    );
  }
}

/** @template T @param {readonly T[]} list */
function rotated(list) {
  return [...list.slice(1), ...list.slice(0, 1)];
}

/**
 * Matches replies with requests by the sequence numbers in the payloads, if several requests are in flight and the protocol has no ids.
 * Payloads that are too short for a sequence number are answered in the order of the requests.
 * @param {{ring: PayloadRing, concurrency: number, answer: Answer | undefined,
 *   strays: {count: number}}} client strays: counts replies that match no request in flight
 * @returns {Correlation | null}
 */
function makeCorrelation({ring, concurrency, answer, strays}) {
  if (concurrency === 1 || !ring.numbered || answer === undefined || isUnchecked(answer)) return null;
  const onStray = () => {
    strays.count += 1;
  };
  const ofReply = answer === 'increment' ? sequenceOfIncremented : sequenceOfEcho;
  return {ofRequest: sequenceOf, ofReply, onStray};
}

/** @param {Buffer} reply */
function sequenceOfEcho(reply) {
  return reply.length < sequenceBytes ? Number.NaN : sequenceOf(reply);
}

const stamp = Buffer.alloc(sequenceBytes);

/** @param {Buffer} reply each byte is one more than the byte of the request */
function sequenceOfIncremented(reply) {
  if (reply.length < sequenceBytes) return Number.NaN;
  for (let offset = 0; offset < sequenceBytes; offset += 1) stamp[offset] = reply[offset] - 1;
  return sequenceOf(stamp);
}

const retryEveryMs = 200;
/** How long a client that was asked to end waits for a connection that it was opening, to close it. */
const closeLateWithinMs = 2000;

/** Error codes of a server that has not started yet. */
const notStartedYet = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'PB_NO_SERVER',
  'PB_NO_GREETING',
]);

/**
 * Connects. Retries for a limited time while the server has not started yet.
 * @template {{close(): Promise<void>}} Connected
 * @param {() => Promise<Connected>} connect
 * @param {{waitMs: number, attemptMs: number, option: string | null, signal: AbortSignal, onWait: (text: string) => void}} patience
 *   attemptMs: limit of one attempt, because a server may accept a connection and never answer; option: the flag that sets waitMs; null for none
 * @returns {Promise<Connected>}
 * @throws {RunError} PB_NO_SERVER when the time is over; any other error immediately
 */
export async function connectPatiently(connect, {waitMs, attemptMs, option, signal, onWait}) {
  const deadline = performance.now() + waitMs;
  let warned = false;
  for (;;) {
    signal.throwIfAborted();
    try {
      return await inTime(attemptMs, connect(), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!notStartedYet.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw explain(error);
      if (performance.now() + retryEveryMs > deadline) throw noServer(error, {waitMs, option});
    }
    if (!warned) onWait(`the server is not available yet; waiting up to ${waitMs / 1000} s for it`);
    warned = true;
    await sleep(retryEveryMs, undefined, {signal});
  }
}

/**
 * @template {{close(): Promise<void>}} Connected is closed if it opens too late
 * @param {number} ms @param {Promise<Connected>} opening @param {AbortSignal} signal
 */
async function inTime(ms, opening, signal) {
  try {
    return await bounded(opening, ms, signal);
  } catch (error) {
    const closed = opening.then((connected) => connected.close()).catch(() => {});
    // What a client has made at its broker must not outlive the client: Artemis keeps a queue that had no consumer yet.
    if (signal.aborted) await bounded(closed, closeLateWithinMs).catch(() => {});
    throw error;
  }
}

/** Explains an error that waiting does not fix. @param {unknown} error */
function explain(error) {
  if (error instanceof PerfBattleError) return error;
  const {message} = /** @type {Error} */ (error);
  return new RunError(`The connection failed: ${message}.`, {code: 'PB_NO_CONNECTION', cause: error});
}

/**
 * Returns whether the server accepted the connection but did not answer in time.
 * @param {unknown} error of `connectPatiently`
 */
function isUnanswered(error) {
  return /** @type {{cause?: {code?: string}}} */ (error).cause?.code === 'PB_NO_GREETING';
}

/**
 * @param {unknown} cause for a name with several addresses, an error that holds one error for each address
 * @param {{waitMs: number, option: string | null}} patience
 */
function noServer(cause, {waitMs, option}) {
  const errors = cause instanceof AggregateError ? cause.errors : [cause];
  const message = errors.map((error) => error.message).join('; ');
  const waited = waitMs > 0 ? ` within ${waitMs / 1000} s${option ? ` (${option})` : ''}` : '';
  return new RunError(`No server could be reached${waited}: ${message}`, {code: 'PB_NO_SERVER', cause});
}
