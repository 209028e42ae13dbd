import {once} from 'node:events';
import {createServer} from 'node:http';
import {RunError} from '../../errors.js';
import {loopbackAddress} from '../../measure/network.js';
import {formatMetrics} from './text.js';

/**
 * @import {CellRecord} from '../../results/record-schema.js'
 * @import {AddressInfo} from 'node:net'
 */

/** Reachable from this host alone: the figures name machines and settings. */
const address = loopbackAddress();
/** The text format of Prometheus (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const contentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Serves the figures of a battle that runs, for Prometheus to scrape. A scrape gets a text that was made beforehand, so it takes hardly any
 * CPU time from what is measured.
 */
export class MetricsEndpoint {
  #text = '';
  #server = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?');
    if (path === '/metrics') response.writeHead(200, {'content-type': contentType}).end(this.#text);
    else response.writeHead(404).end('The figures are at /metrics.\n');
  });

  /**
   * @param {number} port 0: any free one
   * @returns {Promise<string>} its URL
   * @throws {RunError} PB_PORT_IN_USE or PB_LISTEN
   */
  async open(port) {
    this.#server.listen(port, address);
    await once(this.#server, 'listening').catch((error) => {
      throw explain(error, port);
    });
    const {port: own} = /** @type {AddressInfo} */ (this.#server.address());
    return `http://${address.includes(':') ? `[${address}]` : address}:${own}/metrics`;
  }

  /** @param {readonly CellRecord[]} records of the battle, as far as it is */
  publish(records) {
    this.#text = formatMetrics(records);
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** @param {NodeJS.ErrnoException} error @param {number} port */
function explain(error, port) {
  const code = error.code === 'EADDRINUSE' ? 'PB_PORT_IN_USE' : 'PB_LISTEN';
  return new RunError(
    `The figures cannot be served on port ${port} of ${address} (--metrics-port): ${error.message}.`,
    {code, cause: error},
  );
}
