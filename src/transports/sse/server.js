import {randomUUID} from 'node:crypto';
import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {listen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {drained} from '../backpressure.js';
import {encodeEvent, encodePart, encodeReply, endpointType, endType, partType} from './events.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {SseSettings} from './index.js'
 * @import {IncomingMessage, ServerResponse} from 'node:http'
 */

/** The server does not acknowledge a request while its client has more than this amount of unread events. */
const maxUnreadBytes = 16 * 1024 * 1024;

/** The base URL of request targets. */
const base = 'http://localhost';

/** @param {ServeSettings & SseSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  /** The event stream of each client, by session. @type {Map<string, ServerResponse>} */
  const streams = new Map();
  const onHttpRequest = (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response) => {
    const target = request.url ?? '/';
    if (!URL.canParse(target, base)) return answer(response, 400, 'The target of the request is no URL.');
    const {pathname, searchParams} = new URL(target, base);
    const stream = streams.get(searchParams.get('session') ?? '');
    if (pathname !== '/') answer(response, 404, 'There is nothing here.');
    else if (request.method === 'GET') openStream(response, streams);
    else if (request.method !== 'POST') answer(response, 405, 'Requests are POST, events are GET.');
    else if (!stream) answer(response, 404, 'The session has no stream of events.');
    else takeBody(request, response, {stream, id: searchParams.get('id'), onRequest});
  };
  const {noDelay} = options;
  const credentials = await serverCredentials(options);
  const server = credentials
    ? createTlsServer({noDelay, ...credentials}, onHttpRequest)
    : createServer({noDelay}, onHttpRequest);
  // The client decides when a connection ends, as with the transport http.
  server.keepAliveTimeout = 0;
  return {...(await listen(server, options)), certificate: credentials?.cert ?? null};
}

/** @param {ServerResponse} response @param {number} status @param {string} text */
function answer(response, status, text) {
  response.writeHead(status, {connection: 'close', 'content-type': 'text/plain'}).end(text);
}

/** @param {ServerResponse} response @param {Map<string, ServerResponse>} streams */
function openStream(response, streams) {
  const session = randomUUID();
  streams.set(session, response);
  response.on('close', () => streams.delete(session));
  response.writeHead(200, {'content-type': 'text/event-stream', 'cache-control': 'no-store'});
  response.write(encodeEvent(endpointType, `/?session=${session}`));
}

/**
 * @param {IncomingMessage} request @param {ServerResponse} response
 * @param {{stream: ServerResponse, id: string | null, onRequest: OnRequest}} session id: of the request; null: no reply is expected
 */
function takeBody(request, response, {stream, id, onRequest}) {
  if (Number(request.headers['content-length']) > maxPayloadBytes) return refuse(response);
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  request.on('data', (chunk) => {
    length += chunk.length;
    if (length <= maxPayloadBytes) chunks.push(chunk);
    else if (!response.headersSent) refuse(response);
  });
  request.on('end', async () => {
    if (length > maxPayloadBytes) return;
    if (stream.writableLength > maxUnreadBytes) await drained(stream);
    response.writeHead(202, accepted).end();
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length);
    onRequest(body, id === null ? noReply : replyOn(stream, id));
  });
}

const accepted = {'content-length': 0};

/** @param {ServerResponse} response */
function refuse(response) {
  answer(response, 413, `The body is too long: at most ${maxPayloadBytes} bytes are allowed.`);
}

/** @type {Reply} */
const noReply = {write: () => true, drained: async () => {}, end() {}};

const nothing = Buffer.alloc(0);

/** @param {ServerResponse} stream @param {string} id of the request @returns {Reply} */
function replyOn(stream, id) {
  let isParted = false;
  return {
    write(part) {
      isParted = true;
      return stream.write(encodePart(partType, id, part));
    },
    drained: () => drained(stream),
    end(last) {
      if (isParted) stream.write(encodePart(endType, id, last ?? nothing));
      else if (last) stream.write(encodeReply(id, last));
    },
  };
}
