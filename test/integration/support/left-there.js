import {readdir} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Network} from './network.js' */

/**
 * What runs or stands on the hosts of a network that should not.
 * @param {Network} network
 * @param {number} ms to wait for it to go
 * @returns {Promise<string[]>} what is left when nothing is, or when the time is over
 */
export async function leftThereWithin(network, ms) {
  const deadline = Date.now() + ms;
  for (;;) {
    const left = (await Promise.all(Object.keys(network.hosts).map((name) => leftOn(network, name)))).flat();
    if (left.length === 0 || Date.now() >= deadline) return left;
    await sleep(200);
  }
}

/** @param {Network} network @param {string} name */
async function leftOn(network, name) {
  return [
    ...(await network.processesOf(name)).map(({command}) => `${name} runs ${command}`),
    ...(await readdir(network.hosts[name].tmp)).map((file) => `${name} has ${file} in /tmp`),
  ];
}
