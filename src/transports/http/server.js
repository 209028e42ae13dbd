import {createServer} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import {listen} from '../../net/listen.js';
import {serverCredentials} from '../../net/tls.js';
import {loadPackage, requireOptional} from '../../packages/load.js';
import {maxPayloadBytes} from '../../payload/bytes.js';
import {drained} from '../backpressure.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {OnRequest, Reply, ServeSettings, Server} from '../transport.js'
 * @import {HttpSettings} from './index.js'
 * @import * as Fastify from 'fastify'
 * @import {RequestListener, ServerResponse} from 'node:http'
 */

/**
 * @import createExpress, {ErrorRequestHandler} from 'express'
 */

/** @type {Record<HttpSettings['serverLibrary'], (onRequest: OnRequest, etag: boolean) => RequestListener | Promise<RequestListener>>} */
const handlers = {express: expressHandler, fastify: fastifyHandler, node: nodeHandler};

/** @param {ServeSettings & HttpSettings} options @param {OnRequest} onRequest @returns {Promise<Server>} */
export async function serve(options, onRequest) {
  const credentials = await serverCredentials(options);
  const server = await makeServer({...options, credentials}, onRequest);
  return {...(await listen(server, options)), certificate: credentials?.cert ?? null};
}

/**
 * Makes an HTTP server that does not listen yet.
 * @param {Pick<ServeSettings & HttpSettings, 'serverLibrary' | 'etag' | 'noDelay'> & {credentials: Awaited<ReturnType<typeof serverCredentials>>}} options
 * @param {OnRequest} onRequest
 */
export async function makeServer({serverLibrary, etag, noDelay, credentials}, onRequest) {
  const handler = await handlers[serverLibrary](onRequest, etag);
  /** @type {RequestListener} */
  const onHttpRequest = (request, response) => {
    if (Number(request.headers['content-length']) > maxPayloadBytes) refuse(response);
    else handler(request, response);
  };
  const server = credentials
    ? createTlsServer({noDelay, ...credentials}, onHttpRequest)
    : createServer({noDelay}, onHttpRequest);
  // The client decides when a connection ends. By default, Node.js closes an idle connection after 5 s, possibly while the
  // next request is on its way. Requests would be lost at a slow rate, or on a busy server.
  server.keepAliveTimeout = 0;
  return server;
}

/** Refuses a body by its declared length, before it is read. Express would read the body first. @param {ServerResponse} response */
function refuse(response) {
  response.writeHead(413, {connection: 'close', 'content-type': 'text/plain'});
  response.end(`The body is too long: at most ${maxPayloadBytes} bytes are allowed.`);
}

/**
 * Loads Express only if it is chosen: it takes about 6 MB of the server's memory, which the record shows.
 * @param {OnRequest} onRequest @param {boolean} etag
 */
function expressHandler(onRequest, etag) {
  /** @type {typeof createExpress} */
  const express = loadPackage('express');
  const application = express();
  application.set('etag', etag ? 'weak' : false);
  application.disable('x-powered-by');
  application.use(express.raw({type: () => true, limit: maxPayloadBytes, inflate: false}));
  application.post('/', (request, response) => {
    const send = (/** @type {Buffer} */ chunk) => response.type('application/octet-stream').send(chunk);
    onRequest(request.body, makeReply(response, send));
  });
  application.use(reportError);
  return application;
}

/** Reports an error to the client, such as a body over the limit. @type {ErrorRequestHandler} */
const reportError = (error, _request, response, _next) => {
  response
    .status(error.status ?? 500)
    .type('text/plain')
    .send(error.message);
};

/**
 * Makes a handler by Fastify with raw bodies. By default, Fastify accepts only JSON and text, up to 1 MiB.
 * @param {OnRequest} onRequest
 * @returns {Promise<RequestListener>}
 * @throws {UnavailableError} PB_NOT_INSTALLED
 */
async function fastifyHandler(onRequest) {
  /** @type {typeof Fastify} */
  const {fastify} = requireOptional('fastify', {by: 'HTTP by Fastify', install: 'http'});
  const application = fastify({bodyLimit: maxPayloadBytes, logger: false});
  application.removeAllContentTypeParsers();
  application.addContentTypeParser('*', {parseAs: 'buffer'}, (_request, body, done) => done(null, body));
  application.post('/', (request, reply) => {
    const send = (/** @type {Buffer} */ chunk) => reply.type('application/octet-stream').send(chunk);
    const {write, drained, end} = makeReply(reply.raw, send);
    onRequest(/** @type {Buffer} */ (request.body), {
      write(chunk) {
        // After hijack(), this function alone writes the response.
        if (!reply.sent) reply.hijack();
        return write(chunk);
      },
      drained,
      end: (chunk) => (chunk === undefined && !reply.sent ? void reply.code(204).send() : end(chunk)),
    });
  });
  await application.ready();
  return application.routing;
}

/** @param {OnRequest} onRequest @returns {RequestListener} */
function nodeHandler(onRequest) {
  return (request, response) => {
    /** @type {Buffer[]} */
    const chunks = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      if (length <= maxPayloadBytes) chunks.push(chunk);
      else if (!response.headersSent) response.writeHead(413, {connection: 'close'}).end();
    });
    request.on('end', () => {
      if (length > maxPayloadBytes) return;
      onRequest(
        chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length),
        makeReply(response, sendWith(response)),
      );
    });
  };
}

/** @param {ServerResponse} response */
function sendWith(response) {
  return (/** @type {Buffer} */ chunk) => {
    response.writeHead(200, {'content-type': 'application/octet-stream', 'content-length': chunk.length});
    response.end(chunk);
  };
}

/** @param {ServerResponse} response @param {(chunk: Buffer) => unknown} send the whole reply @returns {Reply} */
function makeReply(response, send) {
  return {
    write(chunk) {
      if (!response.headersSent) response.writeHead(200, {'content-type': 'application/octet-stream'});
      return response.write(chunk);
    },
    drained: () => drained(response),
    end(chunk) {
      if (response.headersSent) response.end(chunk);
      else if (chunk === undefined) response.writeHead(204).end();
      else send(chunk);
    },
  };
}
