import {connect, createServer} from 'node:net';
import {listenHere} from './listen.js';

/** @import {Socket} from 'node:net' */

/**
 * A proxy in front of a port of this host. It passes on all replies. When one connection ends, it ends the other.
 * @param {{hostname: string, port: number}} target
 * @param {(client: Socket, target: Socket) => (chunk: Buffer) => void} makeForward makes what is done with each chunk of a client
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startProxy({hostname, port}, makeForward) {
  const server = createServer((client) => {
    const target = connect(port, hostname);
    client.on('data', makeForward(client, target));
    target.pipe(client);
    for (const [one, other] of [
      [client, target],
      [target, client],
    ]) {
      one.on('close', () => other.destroy());
      one.on('error', () => {});
    }
  });
  return listenHere(server, {noDelay: true});
}
