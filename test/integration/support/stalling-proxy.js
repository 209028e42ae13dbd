import {setTimeout as sleep} from 'node:timers/promises';
import {startProxy} from './proxy.js';

/**
 * A proxy that accepts everything, but once delays what a client sends, like a broker that is slow for a moment.
 * @param {{hostname: string, port: number}} target
 * @param {{afterBytes: number, forMs: number}} stall afterBytes: that a client has sent
 */
export function startStallingProxy(target, {afterBytes, forMs}) {
  return startProxy(target, (_client, broker) => {
    let passed = 0;
    let ready = Promise.resolve();
    return (chunk) => {
      if (passed < afterBytes && passed + chunk.length >= afterBytes)
        ready = sleep(forMs, undefined, {ref: false});
      passed += chunk.length;
      ready = ready.then(() => void broker.write(chunk));
    };
  });
}
