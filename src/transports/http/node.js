import {Agent, request as sendPlainRequest} from 'node:http';
import {request as sendTlsRequest, Agent as TlsAgent} from 'node:https';
import {Exchange} from './exchange.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import {Waiting} from '../transport.js'
 * @import {ClientRequest} from 'node:http'
 */

/** Sends requests by node:http, through one Agent. @param {HttpTarget} target @returns {HttpConnections} */
export function connectByNode({
  host,
  port,
  socketPath,
  trust,
  keepAlive,
  noDelay,
  maxConnections,
  onConnection,
}) {
  const agent = new (trust ? TlsAgent : Agent)({
    ...trust,
    keepAlive,
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    noDelay,
  });
  const {createConnection} = agent;
  agent.createConnection = (...options) => {
    onConnection();
    return createConnection.apply(agent, options);
  };
  const send = trust ? sendTlsRequest : sendPlainRequest;
  const shared = {host, port, socketPath, agent, method: 'POST', path: '/'};
  return {
    ask(payload, waiting) {
      const headers = {'content-type': 'application/octet-stream', 'content-length': payload.length};
      new NodeExchange(waiting, send({...shared, headers})).send(payload);
    },
    close: async () => agent.destroy(),
  };
}

class NodeExchange extends Exchange {
  /** @param {Waiting} waiting @param {ClientRequest} request */
  constructor(waiting, request) {
    super(waiting);
    this.sent = request;
    request.on('error', (error) => this.fail(error));
    const orEnd = (/** @type {() => void} */ step) => {
      try {
        step();
      } catch (error) {
        this.fail(/** @type {Error} */ (error));
        request.destroy();
      }
    };
    request.on('response', (response) => {
      orEnd(() => this.begin(response.statusCode ?? 0, response.headers['content-length']));
      response.on('data', (chunk) => orEnd(() => this.take(chunk)));
      response.on('error', (error) => this.fail(error));
      response.on('end', () => this.end());
    });
  }

  /** @param {Buffer} payload */
  send(payload) {
    this.sent.end(payload);
  }

  /** @override */
  abandon() {
    this.sent.destroy();
  }
}
