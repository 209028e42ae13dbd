import {readdir} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';

/** @import {Network} from './network.js' */

/**
 * The processes and temporary files that remain on the hosts of a network.
 * @param {Network} network
 * @param {number} ms to wait until they are gone
 * @returns {Promise<string[]>} empty, or what is left after that time
 */
export async function leftoversOnHostsWithin(network, ms) {
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
