import {fetch} from 'undici';
import {joinAddress} from '../../net/address.js';
import {Exchange} from './exchange.js';
import {openPool} from './undici.js';

/**
 * @import {HttpConnections, HttpTarget} from './exchange.js'
 * @import {Waiting} from '../transport.js'
 */

const headers = {'content-type': 'application/octet-stream'};

/**
 * Sends requests by fetch() of the undici package. The fetch() of Node.js comes from the same package, but does not accept connection
 * settings.
 * @param {HttpTarget} target
 * @returns {HttpConnections}
 */
export function connectByFetch(target) {
  const pool = openPool(target);
  const url = `${target.trust ? 'https' : 'http'}://${joinAddress(target.host, target.port)}/`;
  return {
    ask(payload, waiting) {
      const exchange = new FetchExchange(waiting);
      exchange.run(url, {method: 'POST', headers, body: payload, redirect: 'manual', dispatcher: pool});
    },
    close: () => pool.destroy(),
  };
}

class FetchExchange extends Exchange {
  /** @param {Waiting} waiting */
  constructor(waiting) {
    super(waiting);
    this.controller = new AbortController();
  }

  /** @param {string} url @param {NonNullable<Parameters<typeof fetch>[1]>} request */
  async run(url, request) {
    try {
      const response = await fetch(url, {...request, signal: this.controller.signal});
      this.begin(response.status, response.headers.get('content-length'));
      for await (const chunk of response.body ?? [])
        this.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    } catch (error) {
      const {cause} = /** @type {Error} */ (error);
      this.controller.abort();
      return this.fail(/** @type {Error} */ (cause ?? error));
    }
    this.end();
  }

  /** @override */
  abandon() {
    this.controller.abort();
  }
}
