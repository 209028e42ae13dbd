import {connect, createServer} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {listenHere} from './listen.js';

/**
 * A proxy in front of a port of this host. It accepts everything, but once delays what a client sends, like a broker that is slow for a
 * moment.
 * @param {{hostname: string, port: number}} target
 * @param {{afterBytes: number, forMs: number}} stall afterBytes: that a client has sent
 * @returns {Promise<{port: number, close: () => void}>}
 */
export function startStallingProxy({hostname, port}, {afterBytes, forMs}) {
  const server = createServer((client) => {
    const target = connect(port, hostname);
    let passed = 0;
    let ready = Promise.resolve();
    client.on('data', (chunk) => {
      if (passed < afterBytes && passed + chunk.length >= afterBytes)
        ready = sleep(forMs, undefined, {ref: false});
      passed += chunk.length;
      ready = ready.then(() => void target.write(chunk));
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
