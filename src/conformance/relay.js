import {connect, createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {loopbackAddress} from '../measure/network.js';
import {joinAddress, splitAddress} from '../net/address.js';

/** @import {AddressInfo, Server, Socket} from 'node:net' */

/**
 * What is done with the replies of a server on their way.
 * @typedef {{kind: 'pass'} | {kind: 'delay', ms: number} | {kind: 'change', afterBytes: number} | {kind: 'swallow'}} Treatment change: one byte,
 *   once, after so many more bytes
 */

/** Stands between the clients and a server that they reach over TCP. */
export class Relay {
  /** @type {Treatment} */
  treatment = {kind: 'pass'};
  /** Of replies, so far. */
  bytes = 0;
  /** @type {Set<Socket>} */
  #sockets = new Set();
  /** @type {Server} */
  #server;

  /** @param {string} target host:port of the server */
  constructor(target) {
    const {host, port} = splitAddress(target);
    this.#server = createServer({noDelay: true}, (client) => {
      const server = connect({host, port, noDelay: true});
      this.#join(client, server);
    });
  }

  /** @returns {Promise<string>} host:port for clients */
  listen() {
    const address = loopbackAddress();
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, address, () => {
        const {port} = /** @type {AddressInfo} */ (this.#server.address());
        resolve(joinAddress(address, port));
      });
    });
  }

  close() {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** @param {Socket} client @param {Socket} server */
  #join(client, server) {
    client.pipe(server);
    // Replies that are delayed come before the end of the connection.
    let turn = Promise.resolve();
    server.on('data', (chunk) => {
      const {treatment} = this;
      this.bytes += chunk.length;
      if (treatment.kind === 'delay') {
        const due = sleep(treatment.ms);
        turn = turn.then(() => due).then(() => void client.write(chunk));
      } else if (treatment.kind !== 'swallow') client.write(this.#changed(chunk));
    });
    client.on('close', () => server.destroy());
    server.on('close', () => turn.then(() => client.destroySoon()));
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }

  /** @param {Buffer} chunk */
  #changed(chunk) {
    const {treatment} = this;
    if (treatment.kind !== 'change') return chunk;
    const at = treatment.afterBytes;
    treatment.afterBytes -= chunk.length;
    if (at < 0 || at >= chunk.length) return chunk;
    const changed = Buffer.from(chunk);
    changed[at] ^= 1;
    this.treatment = {kind: 'pass'};
    return changed;
  }
}
