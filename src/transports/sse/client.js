import {request as requestPlain} from 'node:http';
import {request as requestByTls} from 'node:https';
import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {isSuccess} from '../http/exchange.js';
import {openPool, UndiciExchange} from '../http/undici.js';
import {promised} from '../pending-replies.js';
import {OneWayPosts} from '../windowed-publisher.js';
import {EventReader, endpointType, partType} from './events.js';

/**
 * @import {ClientRequest, IncomingMessage} from 'node:http'
 * @import {ClientTls} from '../../net/tls.js'
 * @import {SseSettings} from './index.js'
 * @import {Event} from './events.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 */

const headers = ['content-type', 'application/octet-stream'];

/**
 * @param {ConnectSettings & SseSettings} options
 * @returns {Promise<Client>}
 */
export async function connect(options) {
  const place = splitAddress(options.servers[0]);
  const {noDelay, concurrency: maxConnections, greetingMs} = options;
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(place.host, place.port, trust) : await probe(place);
  const calls = new Calls();
  const stream = new EventStream({...place, trust}, calls);
  const path = await bounded(stream.endpoint, greetingMs).catch((error) => {
    stream.close();
    throw error;
  });
  // The stream of events has a connection of its own.
  let connections = 1;
  const onConnection = () => {
    connections += 1;
  };
  const pool = openPool({...place, trust, keepAlive: true, noDelay, maxConnections, onConnection});
  const post = (/** @type {string} */ to, /** @type {Buffer} */ body, /** @type {Waiting} */ waiting) =>
    pool.dispatch({method: 'POST', path: to, headers, body}, new UndiciExchange(waiting, isSuccess));
  const posts = new OneWayPosts((payload, waiting) => post(path, payload, waiting), maxConnections);
  calls.lost.catch((error) => posts.fail(error));
  const ask = (/** @type {Buffer} */ payload, /** @type {Waiting} */ waiting) => {
    const call = calls.add(waiting);
    if (call) post(`${path}&id=${call.id}`, payload, call.taken);
  };
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    connections: () => connections,
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: calls.lost,
    details,
    async close() {
      calls.finish();
      stream.close();
      await pool.destroy();
    },
  };
}

/** A request whose reply is an event. */
class Call {
  /** @param {Calls} calls @param {number} id @param {Waiting} waiting */
  constructor(calls, id, waiting) {
    this.calls = calls;
    this.id = id;
    this.waiting = waiting;
    waiting.exchange = this;
    /** Of its POST, which says only whether the server has the request. @type {Waiting} */
    this.taken = {resolve() {}, reject: (error) => this.#fail(error), onChunk: null};
  }

  abandon() {
    this.calls.waiting.delete(this.id);
  }

  /** @param {Error} error */
  #fail(error) {
    if (this.calls.waiting.delete(this.id)) this.waiting.reject(error);
  }
}

/** The requests that wait for events, by their number. */
class Calls {
  constructor() {
    /** @type {Map<number, Call>} */
    this.waiting = new Map();
    this.count = 0;
    /** @type {Error | null} */
    this.failure = null;
    /** @type {Promise<never>} rejects when the stream of events ends */
    this.lost = new Promise((_, reject) => {
      this.rejectLost = reject;
    });
    this.lost.catch(() => {});
  }

  /** @param {Waiting} waiting @returns {Call | null} null: the stream has ended */
  add(waiting) {
    if (this.failure) {
      waiting.reject(this.failure);
      return null;
    }
    this.count += 1;
    const call = new Call(this, this.count, waiting);
    this.waiting.set(this.count, call);
    return call;
  }

  /** @param {Event} event whose request may have been given up */
  take({type, id, data}) {
    const call = this.waiting.get(Number(id));
    if (!call) return;
    const {waiting} = call;
    const payload = Buffer.from(data, 'base64');
    if (type === partType) {
      waiting.onChunk?.(payload);
      return;
    }
    this.waiting.delete(call.id);
    waiting.exchange = null;
    waiting.resolve(payload);
  }

  /** @param {Error} error */
  fail(error) {
    if (this.failure) return;
    this.rejectLost?.(error);
    this.#end(error);
  }

  /** For a connection that the client closes. */
  finish() {
    if (!this.failure) this.#end(new RunError('The connection was closed.', {code: 'PB_CLOSED'}));
  }

  /** @param {Error} error */
  #end(error) {
    this.failure = error;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const {waiting} of all) waiting.reject(error);
  }
}

/** The stream of events, a response that does not end. */
class EventStream {
  /** @param {{host: string, port: number, trust: ClientTls | null}} target @param {Calls} calls */
  constructor({host, port, trust}, calls) {
    const open = trust ? requestByTls : requestPlain;
    /** @type {ClientRequest} */
    this.request = open({
      host,
      port,
      ...trust,
      path: '/',
      agent: false,
      headers: {accept: 'text/event-stream'},
    });
    const lose = (/** @type {string} */ why) => calls.fail(connectionLost(why));
    /** Where to send requests. @type {Promise<string>} */
    this.endpoint = new Promise((resolve, reject) => {
      calls.lost.catch(reject);
      const events = new EventReader((event) => {
        if (event.type === endpointType) resolve(event.data);
        else calls.take(event);
      });
      this.request.on('error', (error) => {
        reject(error);
        lose(error.message);
      });
      this.request.on('response', (response) => {
        const refusal = whyNoEvents(response);
        if (refusal !== null) return this.request.destroy(refusal);
        response.on('data', (chunk) => {
          try {
            events.read(chunk);
          } catch (error) {
            this.request.destroy(/** @type {Error} */ (error));
          }
        });
        response.on('error', (error) => lose(error.message));
        response.on('close', () => lose('the server ended the stream of events'));
      });
    });
    this.endpoint.catch(() => {});
    this.request.end();
  }

  close() {
    this.request.destroy();
  }
}

/** @param {IncomingMessage} response @returns {RunError | null} null: it is a stream of events */
function whyNoEvents({statusCode = 0, headers: {'content-type': type = ''}}) {
  if (isSuccess(statusCode) && type.startsWith('text/event-stream')) return null;
  return new RunError(`The HTTP server answered ${statusCode}, and not with a stream of events.`, {
    code: 'PB_HTTP_STATUS',
  });
}

/** @param {string} why */
function connectionLost(why) {
  return new RunError(`The stream of events was lost (${why}).`, {code: 'PB_CONNECTION_LOST'});
}
