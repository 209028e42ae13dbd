import {Agent, request as sendPlainRequest} from 'node:http';
import {request as sendTlsRequest, Agent as TlsAgent} from 'node:https';
import {RunError} from './errors.js';
import {runClientScript} from './roles/client.js';
import {splitAddress} from './transports/address.js';
import {http} from './transports/http.js';
import {probe, probeTls} from './transports/probe.js';
import {clientTrust} from './transports/tls.js';

/**
 * @import {HttpSettings} from './transports/http.js'
 * @import {Client, ConnectSettings} from './transports/transport.js'
 * @import {ClientRequest, IncomingMessage} from 'node:http'
 */

/**
 * @param {ConnectSettings & HttpSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(host, port, trust) : await probe(host, port);
  const agent = new (trust ? TlsAgent : Agent)({
    ...trust,
    keepAlive: options.keepAlive,
    maxSockets: options.concurrency,
    maxFreeSockets: options.concurrency,
    noDelay: options.noDelay,
  });
  const inFlight = options.concurrency > 1 ? new WeakMap() : null;
  const sendRequest = trust ? sendTlsRequest : sendPlainRequest;
  const target = {host, port, agent, sendRequest, inFlight};
  const posts = new OneWayPosts((payload) => post(target, payload), options.concurrency);
  return {
    request: (payload, parts) => post(target, payload, parts),
    abandon: (reply) => (inFlight ? inFlight.get(reply)?.destroy() : agent.destroy()),
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: posts.closed,
    details,
    async close() {
      agent.destroy();
    },
  };
}

/** One-way messages: each is a POST that the server answers with 204. There are as many at once as there are connections. */
class OneWayPosts {
  /** @param {(payload: Buffer) => Promise<Buffer>} post @param {number} maxOutstanding */
  constructor(post, maxOutstanding) {
    this.post = post;
    this.maxOutstanding = maxOutstanding;
    this.outstanding = 0;
    this.confirmed = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {(() => void)[]} */
    this.watchers = [];
    /** @type {Promise<never>} */
    this.closed = new Promise((_, reject) => {
      this.rejectClosed = reject;
    });
    this.closed.catch(() => {});
    this.onConfirmed = () => {
      this.confirmed += 1;
      this.#settle();
    };
    this.onFailed = (/** @type {Error} */ error) => {
      this.failure ??= error;
      this.rejectClosed?.(error);
      this.#settle();
    };
  }

  /** @param {Buffer} payload @returns {boolean} */
  send(payload) {
    this.outstanding += 1;
    this.post(payload).then(this.onConfirmed, this.onFailed);
    return this.outstanding < this.maxOutstanding;
  }

  async drained() {
    while (this.outstanding >= this.maxOutstanding && !this.failure) await this.#oneSettled();
  }

  async flushed() {
    while (this.outstanding > 0 && !this.failure) await this.#oneSettled();
    return {confirmed: this.confirmed};
  }

  #settle() {
    this.outstanding -= 1;
    for (const watcher of this.watchers.splice(0)) watcher();
  }

  /** @returns {Promise<void>} */
  #oneSettled() {
    return new Promise((resolve) => {
      this.watchers.push(resolve);
    });
  }
}

/**
 * @param {{host: string, port: number, agent: Agent, sendRequest: typeof sendPlainRequest,
 *   inFlight: WeakMap<Promise<Buffer>, ClientRequest> | null}} target
 *   inFlight: maps each reply to its request
 * @param {Buffer} payload
 * @param {{onChunk: (chunk: Buffer) => void}} [parts]
 * @returns {Promise<Buffer>} the body; empty for a 204, and when onChunk received its parts
 */
function post({host, port, agent, sendRequest, inFlight}, payload, parts) {
  /** @type {ClientRequest | undefined} */
  let sent;
  /** @type {Promise<Buffer>} */
  const reply = new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        host,
        port,
        agent,
        method: 'POST',
        path: '/',
        headers: {'content-type': 'application/octet-stream', 'content-length': payload.length},
      },
      (response) => collect(response, parts, resolve, reject),
    );
    request.on('error', (error) => reject(connectionLost(error)));
    request.end(payload);
    sent = request;
  });
  if (inFlight && sent) inFlight.set(reply, sent);
  return reply;
}

/**
 * @param {IncomingMessage} response
 * @param {{onChunk: (chunk: Buffer) => void} | undefined} parts
 * @param {(body: Buffer) => void} resolve
 * @param {(error: Error) => void} reject
 */
function collect(response, parts, resolve, reject) {
  /** @type {Buffer[]} */
  const chunks = [];
  const isGood = response.statusCode === 200 || response.statusCode === 204;
  response.on('data', parts && isGood ? parts.onChunk : (chunk) => chunks.push(chunk));
  response.on('error', (error) => reject(connectionLost(error)));
  response.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    if (isGood) resolve(body);
    else reject(unexpectedStatus(response.statusCode ?? 0, body));
  });
}

/** @param {number} status @param {Buffer} body */
function unexpectedStatus(status, body) {
  const text = body.subarray(0, 200).toString('utf8');
  return new RunError(`The HTTP server answered ${status}${text ? `: ${text}` : ''}.`, {
    code: 'PB_HTTP_STATUS',
  });
}

/** @param {Error} cause */
function connectionLost(cause) {
  return new RunError(`The HTTP connection was lost (${cause.message}).`, {
    code: 'PB_CONNECTION_LOST',
    cause,
  });
}

await runClientScript(import.meta.url, http, connect);
