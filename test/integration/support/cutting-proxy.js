import {connect, createServer} from 'node:net';
import {listenHere} from './listen.js';

/**
 * A proxy in front of a port of this host. It ends both connections in place of passing on what contains a text, like a broker that is killed
 * at that moment.
 * @param {{hostname: string, port: number}} target
 * @param {string} text
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startCuttingProxy({hostname, port}, text) {
  const server = createServer((client) => {
    const target = connect(port, hostname);
    client.on('data', (chunk) => {
      if (chunk.includes(text)) client.destroy();
      else target.write(chunk);
    });
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
