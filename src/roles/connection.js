import {joinAddress} from '../net/address.js';
import {sequenceBytes, sequenceOf} from '../payload/stamp.js';
import {connectPatiently, isUnanswered} from './connect-patiently.js';

/**
 * @import {ClientSettings} from '../protocol.js'
 * @import {PayloadRing} from '../payload/ring.js'
 * @import {Client, Connect, ConnectSettings, Correlation} from '../transports/transport.js'
 * @import {WorkloadRole} from '../workloads/workload.js'
 * @import {Role} from './script.js'
 */

/**
 * @typedef {ClientSettings & ByHand} ClientRoleSettings
 *
 * @typedef {object} ByHand
 * @property {string} serverAddress host of the server, of a client by hand
 * @property {number} serverPort
 * @property {number} [connectTimeoutMs] how long a client by hand waits for a server that is not up yet
 * @property {'echo' | 'increment'} [answer] what the server replies
 */

/** `--timeout` bounds requests. On a busy host, accepting a connection may take longer; nothing is measured yet. */
const greetingMs = 10_000;

/** In a battle the server is ready before a client connects. But the nodes of a cluster do not all know its consumer at once. */
const knownWithinMs = 5000;

/** The connection of a client, over which it measures one cell after the other. */
export class Connection {
  /**
   * @param {Connect} connect
   * @param {Role<ClientRoleSettings>} role
   */
  constructor(connect, {output, signal}) {
    this.connect = connect;
    this.output = output;
    this.signal = signal;
    /** Replies that answered no request in flight. */
    this.strays = {count: 0};
    /** Set by `prepareFor`. @type {Client} */
    this.client = /** @type {any} */ (null);
    /** @type {ConnectSettings & ClientRoleSettings} */
    this.options = /** @type {any} */ (null);
    this.isNew = true;
    this.retransmissionsOfClosed = 0;
  }

  /** What the transport itself has sent again so far; null where it leaves that to TCP. */
  get retransmissions() {
    const {retransmissions} = this.client;
    return retransmissions ? this.retransmissionsOfClosed + retransmissions() : null;
  }

  /**
   * Connects for the first cell. A further one uses the same connection, unless its replies are matched with requests in another way.
   * @param {ClientRoleSettings} options
   * @param {WorkloadRole} workload
   * @param {PayloadRing} ring
   */
  async prepareFor(options, workload, ring) {
    const concurrency = workload.concurrency(options);
    const correlation = makeCorrelation({ring, concurrency, answer: options.answer, strays: this.strays});
    const servers = options.servers ?? [joinAddress(options.serverAddress, options.serverPort)];
    const fits = !this.isNew && (correlation === null) === (this.options.correlation === null);
    this.options = {...options, servers, concurrency, correlation, hasServer: workload.hasServer, greetingMs};
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

  /** Closes the client and connects anew. @returns {Promise<boolean>} false when the server did not answer within the timeout */
  async renew() {
    const {timeoutMs} = this.options;
    await this.close();
    try {
      this.client = await this.#open({waitMs: timeoutMs, attemptMs: timeoutMs, option: '--timeout'});
      return true;
    } catch (error) {
      if (isUnanswered(error)) return false;
      throw error;
    }
  }

  async close() {
    await this.client?.close();
  }

  /** @param {{waitMs: number, attemptMs: number, option: string | null}} patience @returns {Promise<Client>} */
  async #open(patience) {
    const {signal, output} = this;
    const client = await connectPatiently(
      () => this.connect({...this.options, greetingMs: patience.attemptMs}),
      {...patience, signal, onWait: (text) => output.warn(text)},
    );
    this.retransmissionsOfClosed += this.client?.retransmissions?.() ?? 0;
    return client;
  }
}

/**
 * How a client matches replies with requests if several are in flight and the protocol has no ids: by the sequence numbers in the payloads.
 * Payloads that are too short for one are answered in the order of the requests.
 *
 * @param {{ring: PayloadRing, concurrency: number, answer: 'echo' | 'increment' | undefined,
 *   strays: {count: number}}} client strays: counts the replies to no outstanding request
 * @returns {Correlation | null}
 */
function makeCorrelation({ring, concurrency, answer, strays}) {
  if (concurrency === 1 || !ring.numbered || answer === undefined) return null;
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

/** @param {Buffer} reply each byte of it is one more than the request's */
function sequenceOfIncremented(reply) {
  if (reply.length < sequenceBytes) return Number.NaN;
  for (let offset = 0; offset < sequenceBytes; offset += 1) stamp[offset] = reply[offset] - 1;
  return sequenceOf(stamp);
}
