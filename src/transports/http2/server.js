import {createSecureServer, createServer} from 'node:http2';
import {listen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {drained} from '../backpressure.js';
import {maxSessionMemory} from './session.js';

/**
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {Http2Settings} from './index.js'
 * @import {IncomingHttpHeaders, ServerHttp2Stream} from 'node:http2'
 */

/** @param {ServeSettings & Http2Settings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const credentials = await serverCredentials(options);
  const {http2WindowBytes: windowBytes} = options;
  const how = {settings: {initialWindowSize: windowBytes}, maxSessionMemory};
  const server = credentials ? createSecureServer({...how, ...credentials}) : createServer(how);
  server.on('session', (session) => session.setLocalWindowSize(windowBytes));
  server.on('stream', (stream, headers) => serveStream(stream, headers, onRequest));
  return {...(await listen(server, options)), certificate: credentials?.cert ?? null};
}

/** @param {ServerHttp2Stream} stream @param {IncomingHttpHeaders} headers @param {OnRequest} onRequest */
function serveStream(stream, headers, onRequest) {
  // The client notices the error itself.
  stream.on('error', () => {});
  if (Number(headers['content-length']) > maxPayloadBytes) return refuse(stream);
  /** @type {Buffer[]} */
  const chunks = [];
  let length = 0;
  stream.on('data', (/** @type {Buffer} */ chunk) => {
    length += chunk.length;
    if (length <= maxPayloadBytes) chunks.push(chunk);
    else refuse(stream);
  });
  stream.on('end', () => {
    // A stream that the client has reset emits `end`, too.
    if (length > maxPayloadBytes || isGone(stream)) return;
    onRequest(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length), makeReply(stream));
  });
}

/** @param {ServerHttp2Stream} stream */
function isGone(stream) {
  return stream.destroyed || stream.aborted || stream.rstCode !== 0;
}

/** @param {ServerHttp2Stream} stream */
function refuse(stream) {
  if (isGone(stream) || stream.headersSent) return;
  stream.respond({':status': 413, 'content-type': 'text/plain'});
  stream.end(`The body is too long: at most ${maxPayloadBytes} bytes are allowed.`);
  stream.resume();
}

const withoutBody = {endStream: true};

/** @param {ServerHttp2Stream} stream @returns {Reply} */
function makeReply(stream) {
  return {
    write(chunk) {
      if (isGone(stream)) return true;
      if (!stream.headersSent) stream.respond({':status': 200, 'content-type': 'application/octet-stream'});
      return stream.write(chunk);
    },
    drained: () => drained(stream),
    end(chunk) {
      if (isGone(stream)) return;
      if (stream.headersSent) stream.end(chunk);
      else if (chunk === undefined) stream.respond({':status': 204}, withoutBody);
      else {
        const headers = {'content-type': 'application/octet-stream', 'content-length': chunk.length};
        stream.respond({':status': 200, ...headers});
        stream.end(chunk);
      }
    },
  };
}
