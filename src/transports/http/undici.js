import {joinAddress} from '../../net/address.js';
import {loadPackage} from '../../packages/load.js';
import {Exchange, postToRoot} from './exchange.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import * as undici from 'undici'
 */

// The package's index would also load fetch, WebSocket, caches and mocks: about 130 ms of CPU time at each start of a client.
/** @type {typeof undici.Pool} */
const Pool = loadPackage('undici/lib/dispatcher/pool.js');
/** @type {typeof undici.buildConnector} */
const buildConnector = loadPackage('undici/lib/core/connect.js');

/** Connections never time out. By default, the library closes a connection after 4 idle seconds, possibly during a run at a low rate. */
const idleMs = 2 ** 31 - 1;

/**
 * Sends requests by undici's `dispatch`, its lowest-level interface, through a pool of connections with one request at a time.
 * @param {HttpTarget} target
 * @returns {HttpConnections}
 */
export function connectByUndici(target) {
  const pool = openPool(target);
  const request = target.request ?? postToRoot;
  const {method, path, hasBody} = request;
  const headers = Object.entries(request.headers).flat();
  const shared = {method: /** @type {undici.Dispatcher.HttpMethod} */ (method), path, headers};
  return {
    ask(payload, waiting) {
      pool.dispatch({...shared, body: hasBody ? payload : null}, new UndiciExchange(waiting, request));
    },
    close: () => pool.destroy(),
  };
}

/** Opens a pool of connections without the library's timers, because the workload bounds each request. @param {HttpTarget} target */
export function openPool({host, port, socketPath, trust, keepAlive, noDelay, maxConnections, onConnection}) {
  const connect = buildConnector({...trust, ...(socketPath && {socketPath}), timeout: 0});
  return new Pool(`${trust ? 'https' : 'http'}://${joinAddress(host, port)}`, {
    connections: maxConnections,
    pipelining: keepAlive ? 1 : 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    connect(options, callback) {
      onConnection();
      connect(options, (error, socket) => {
        // The library disables Nagle's algorithm by default.
        socket?.setNoDelay(noDelay);
        if (error) callback(error, null);
        else callback(null, socket);
      });
    },
  });
}

/** @implements {undici.Dispatcher.DispatchHandler} */
export class UndiciExchange extends Exchange {
  isAbandoned = false;
  /** @type {undici.Dispatcher.DispatchController | null} */
  controller = null;

  /** @param {undici.Dispatcher.DispatchController} controller */
  onRequestStart(controller) {
    this.controller = controller;
    if (this.isAbandoned) controller.abort(new Error('abandoned'));
  }

  /**
   * An error thrown here ends the connection, and reaches onResponseError.
   * @param {undici.Dispatcher.DispatchController} _controller @param {number} status @param {Record<string, unknown>} replyHeaders
   */
  onResponseStart(_controller, status, replyHeaders) {
    this.begin(status, replyHeaders['content-length']);
  }

  /** @param {undici.Dispatcher.DispatchController} _controller @param {Buffer} chunk */
  onResponseData(_controller, chunk) {
    this.take(chunk);
  }

  onResponseEnd() {
    this.end();
  }

  /** @param {undici.Dispatcher.DispatchController} _controller @param {Error} error */
  onResponseError(_controller, error) {
    this.fail(error);
  }

  /** @override */
  abandon() {
    this.isAbandoned = true;
    this.controller?.abort(new Error('abandoned'));
  }
}
