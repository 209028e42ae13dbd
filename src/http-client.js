import {Agent, request as sendRequest} from 'node:http';
import {RunError} from './errors.js';
import {runClientScript} from './roles/client.js';
import {splitAddress} from './transports/address.js';
import {http} from './transports/http.js';
import {probe} from './transports/probe.js';

/**
 * @param {import('./transports/index.js').ClientOptions} options servers, concurrency, noDelay, keepAlive
 * @returns {Promise<import('./transports/index.js').Client>}
 */
export async function connect(options) {
  const {host, port} = splitAddress(options.servers[0]);
  await probe(host, port);
  const agent = new Agent({
    keepAlive: options.keepAlive,
    maxSockets: options.concurrency,
    noDelay: options.noDelay,
  });
  return {
    request: (payload) => post({host, port, agent}, payload),
    closed: new Promise(() => {}),
    async close() {
      agent.destroy();
    },
  };
}

/**
 * @param {{host: string, port: number, agent: Agent}} target
 * @param {Buffer} payload
 * @returns {Promise<Buffer>}
 */
function post({host, port, agent}, payload) {
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      {
        host,
        port,
        agent,
        method: 'POST',
        path: '/',
        headers: {'content-type': 'application/octet-stream', 'content-length': payload.length},
      },
      (response) => collect(response, resolve, reject),
    );
    request.on('error', (error) => reject(connectionLost(error)));
    request.end(payload);
  });
}

/**
 * @param {import('node:http').IncomingMessage} response
 * @param {(body: Buffer) => void} resolve
 * @param {(error: Error) => void} reject
 */
function collect(response, resolve, reject) {
  /** @type {Buffer[]} */
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('error', (error) => reject(connectionLost(error)));
  response.on('end', () => {
    const body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    if (response.statusCode === 200) resolve(body);
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
