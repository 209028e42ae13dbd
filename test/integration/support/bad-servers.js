import {createServer as createHttpServer} from 'node:http';
import {createServer as createHttp2Server} from 'node:http2';
import {createServer} from 'node:net';
import {WebSocketServer} from 'ws';
import {settingsOf} from '../../../src/conformance/transport-pair.js';
import {transportNamed} from '../../../src/transports/index.js';
import {listenHere} from './listen.js';

/**
 * @import {ServerResponse} from 'node:http'
 * @import {ServerHttp2Stream} from 'node:http2'
 * @import {Server} from 'node:net'
 */

/**
 * A server that misbehaves from its third request on:
 * flip changes the byte at offset 700 of each reply; silence sends no more replies; close ends the connection in the middle of a
 * reply; deaf accepts connections and never sends anything; fatigue (only TCP) is silence from the third request of each connection
 * on; boast (only HTTP) declares a reply of 10 GiB and sends it; flood (only HTTP) sends a reply without a length and without an end.
 * @typedef {'flip' | 'silence' | 'close' | 'deaf' | 'fatigue' | 'boast' | 'flood'} Misbehaviour
 */

/** The number of requests that are answered correctly. */
const goodReplies = 2;

/**
 * @param {string} transport
 * @param {Misbehaviour} misbehaviour
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startBadServer(transport, misbehaviour) {
  if (misbehaviour !== 'deaf' && !(transport in makers)) return serveBadly(transport, misbehaviour);
  return listenHere(misbehaviour === 'deaf' ? createServer() : makers[transport](misbehaviour));
}

/**
 * The transport's own server, for a protocol of which few lines make no server.
 * @param {string} name @param {Misbehaviour} misbehaviour
 */
async function serveBadly(name, misbehaviour) {
  const transport = transportNamed(name);
  const {serve} = await /** @type {Required<typeof transport>} */ (transport).server();
  const where = {listenAddress: '127.0.0.1', serverPort: 0, noDelay: true};
  let requests = 0;
  const server = await serve({...where, ...settingsOf(transport, {})}, (request, reply) => {
    requests += 1;
    if (requests <= goodReplies) return reply.end(request);
    if (misbehaviour === 'flip') return reply.end(flipped(request));
    if (misbehaviour === 'silence') return;
    reply.write(request.subarray(0, 500));
    setImmediate(() => void server.close());
  });
  const port = Number(/** @type {string} */ (server.address).split(':').at(-1));
  return {port, close: () => void server.close()};
}

/** @param {ServerResponse | ServerHttp2Stream} response */
function sendWithoutEnd(response) {
  const chunk = Buffer.alloc(1024 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}

/** @type {Record<string, (misbehaviour: Misbehaviour) => Server>} */
const makers = {
  http(misbehaviour) {
    let requests = 0;
    return createHttpServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray());
      requests += 1;
      if (requests <= goodReplies) return response.end(body);
      if (misbehaviour === 'flip') return response.end(flipped(body));
      if (misbehaviour === 'silence') return;
      if (misbehaviour === 'boast') response.writeHead(200, {'content-length': 10 * 1024 ** 3});
      if (misbehaviour === 'boast' || misbehaviour === 'flood') return sendWithoutEnd(response);
      response.writeHead(200, {'content-length': body.length});
      response.write(body.subarray(0, 500), () => response.destroy());
    });
  },
  http2(misbehaviour) {
    let requests = 0;
    const server = createHttp2Server();
    server.on('stream', async (stream) => {
      stream.on('error', () => {});
      const body = Buffer.concat(await stream.toArray());
      requests += 1;
      const head = (/** @type {number} */ bytes) => stream.respond({':status': 200, 'content-length': bytes});
      if (requests > goodReplies && misbehaviour === 'silence') return;
      if (requests > goodReplies && misbehaviour === 'flood') stream.respond({':status': 200});
      else head(requests > goodReplies && misbehaviour === 'boast' ? 10 * 1024 ** 3 : body.length);
      if (requests <= goodReplies) stream.end(body);
      else if (misbehaviour === 'flip') stream.end(flipped(body));
      else if (misbehaviour === 'close')
        stream.write(body.subarray(0, 500), () => void stream.session?.destroy());
      else sendWithoutEnd(stream);
    });
    return /** @type {Server} */ (server);
  },
  // As HTTP/2 carries it: a frame of 5 bytes and the message, in both directions.
  grpc(misbehaviour) {
    let requests = 0;
    const server = createHttp2Server();
    server.on('stream', async (stream) => {
      stream.on('error', () => {});
      const body = Buffer.concat(await stream.toArray());
      requests += 1;
      if (requests > goodReplies && misbehaviour === 'silence') return;
      stream.respond({':status': 200, 'content-type': 'application/grpc'}, {waitForTrailers: true});
      stream.on('wantTrailers', () => stream.sendTrailers({'grpc-status': '0'}));
      if (requests <= goodReplies) stream.end(body);
      else if (misbehaviour === 'flip') stream.end(flipped(body, body.length - 1024 + 700));
      else stream.write(body.subarray(0, 500), () => void stream.session?.destroy());
    });
    return /** @type {Server} */ (server);
  },
  websocket(misbehaviour) {
    const server = createHttpServer();
    let requests = 0;
    new WebSocketServer({server}).on('connection', (webSocket, request) => {
      webSocket.on('error', () => {});
      webSocket.on('message', (body) => {
        requests += 1;
        const bytes = /** @type {Buffer} */ (body);
        if (requests <= goodReplies) return webSocket.send(bytes);
        if (misbehaviour === 'flip') return webSocket.send(flipped(bytes));
        if (misbehaviour === 'silence') return;
        // The header of a frame of 1024 bytes, and the first of its bytes.
        request.socket.write(Buffer.from([0x82, 126, 4, 0]));
        request.socket.write(bytes.subarray(0, 500), () => request.socket.destroy());
      });
    });
    return server;
  },
  tcp(misbehaviour) {
    let requests = 0;
    return createServer((socket) => {
      if (misbehaviour === 'fatigue') requests = 0;
      let received = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        const length = received.length >= 4 ? 4 + received.readUInt32BE(0) : Number.POSITIVE_INFINITY;
        if (received.length < length) return;
        const [header, body] = [received.subarray(0, 4), received.subarray(4, length)];
        received = received.subarray(length);
        requests += 1;
        if (requests <= goodReplies) socket.write(Buffer.concat([header, body]));
        else if (misbehaviour === 'flip') socket.write(Buffer.concat([header, flipped(body)]));
        else if (misbehaviour === 'close')
          socket.write(Buffer.concat([header, body.subarray(0, 500)]), () => socket.destroy());
      });
    });
  },
};

/** @param {Buffer} body @param {number} [at] */
function flipped(body, at = 700) {
  const changed = Buffer.from(body);
  changed[at] ^= 0xff;
  return changed;
}
