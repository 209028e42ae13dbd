import {request as requestPlain} from 'node:http';
import {request as requestByTls} from 'node:https';
import {RunError} from '../../errors.js';
import {splitAddress} from '../../net/address.js';
import {bounded} from '../../net/bounded.js';
import {probe, probeTls} from '../../net/probe.js';
import {clientTrust} from '../../net/tls.js';
import {isSuccess} from '../http/exchange.js';
import {openPool, UndiciExchange} from '../http/undici.js';
import {NumberedCalls} from '../numbered-calls.js';
import {promised} from '../pending-replies.js';
import {OneWayPosts} from '../windowed-publisher.js';
import {EventReader, endpointType, partType} from './events.js';

/**
 * @import {ClientRequest, IncomingMessage} from 'node:http'
 * @import {NumberedCall} from '../numbered-calls.js'
 * @import {ClientTls} from '../../net/tls.js'
 * @import {SseSettings} from './index.js'
 * @import {Event} from './events.js'
 * @import {Client, ConnectSettings, Waiting} from '../transport.js'
 */

const headers = ['content-type', 'application/octet-stream'];

/** @param {ConnectSettings & SseSettings} options @returns {Promise<Client>} */
export async function connect(options) {
  const place = splitAddress(options.servers[0]);
  const {noDelay, concurrency: maxConnections, greetingMs} = options;
  const trust = await clientTrust(options);
  const details = trust ? await probeTls(place.host, place.port, trust) : await probe(place);
  const calls = new NumberedCalls();
  const stream = new EventStream({...place, trust}, calls);
  const path = await bounded(stream.endpoint, greetingMs).catch((error) => {
    stream.close();
    throw error;
  });
  // The event stream uses its own connection.
  let connections = 1;
  const onConnection = () => {
    connections += 1;
  };
  const pool = openPool({...place, trust, keepAlive: true, noDelay, maxConnections, onConnection});
  const post = (/** @type {string} */ to, /** @type {Buffer} */ body, /** @type {Waiting} */ waiting) =>
    pool.dispatch({method: 'POST', path: to, headers, body}, new UndiciExchange(waiting));
  const posts = new OneWayPosts((payload, waiting) => post(path, payload, waiting), maxConnections);
  calls.closed.catch((error) => posts.fail(error));
  /** @type {Client['ask']} */
  const ask = (payload, waiting) => {
    const call = calls.add(waiting);
    if (call) post(`${path}&id=${call.number}`, payload, new Taken(call));
  };
  return {
    ask,
    request: promised(ask),
    abandon: ({exchange}) => exchange?.abandon(),
    connections: () => connections,
    send: (payload) => posts.send(payload),
    drained: () => posts.drained(),
    flushed: () => posts.flushed(),
    closed: calls.closed,
    details,
    async close() {
      calls.finish();
      stream.close();
      await pool.destroy();
    },
  };
}

/** The outcome of a POST, which shows only whether the server has the request. @implements {Waiting} */
class Taken {
  onChunk = null;

  /** @param {NumberedCall} call */
  constructor(call) {
    this.call = call;
  }

  resolve() {}

  /** @param {Error} error */
  reject(error) {
    this.call.calls.reject(this.call.number, error);
  }
}

/** @param {NumberedCalls} calls @param {Event} event */
function takeEvent(calls, {type, id, data}) {
  const payload = Buffer.from(data, 'base64');
  if (type === partType) calls.takePart(Number(id), payload);
  else calls.take(Number(id), payload);
}

/** The event stream, a response that does not end. */
class EventStream {
  /** @param {{host: string, port: number, trust: ClientTls | null}} target @param {NumberedCalls} calls */
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
    /** The path for requests. @type {Promise<string>} */
    this.endpoint = new Promise((resolve, reject) => {
      calls.closed.catch(reject);
      const events = new EventReader((event) => {
        if (event.type === endpointType) resolve(event.data);
        else takeEvent(calls, event);
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

/** @param {IncomingMessage} response @returns {RunError | null} null: the response is an event stream */
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
