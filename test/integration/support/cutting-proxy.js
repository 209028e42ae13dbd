import {startProxy} from './proxy.js';

/**
 * A proxy that ends both connections in place of passing on what contains a text, like a broker that is killed at that moment.
 * @param {{hostname: string, port: number}} target
 * @param {string} text
 */
export function startCuttingProxy(target, text) {
  return startProxy(target, (client, broker) => (chunk) => {
    if (chunk.includes(text)) client.destroy();
    else broker.write(chunk);
  });
}
