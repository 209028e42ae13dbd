import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {after, before} from 'node:test';
import {cacheFolder, makeBundle} from '../../../src/hosts/bundle.js';
import {makeNetwork} from './network.js';
import {mustRun} from './network-commands.js';

/** @import {Network} from './network.js' */

/**
 * Puts perf-battle into the cache of each test host, where a battle finds it. Copying it over ssh takes more than a second of CPU per host, and
 * the tests of hosts prove it.
 * @param {Network} network
 */
export async function fillCaches({hosts}) {
  const {name, base, files} = makeBundle();
  const [first, ...others] = Object.values(hosts).map(({home}) => join(home, cacheFolder));
  const folder = join(first, name);
  await mkdir(folder, {recursive: true});
  const copy =
    'base=$1 folder=$2; shift 2; printf "%s\\n" "$@" | tar -c -C "$base" -T - | tar -x -C "$folder"';
  await mustRun('sh', '-c', copy, 'sh', base, folder, ...files);
  for (const cache of others) {
    await mkdir(cache, {recursive: true});
    await mustRun('cp', '-al', folder, cache);
  }
}

/**
 * Test hosts, with perf-battle in their caches, for all tests of a suite; call it within `describe`.
 * @param {string[]} names
 * @returns {() => Network}
 */
export function hostsWithCaches(names) {
  /** @type {Network} */
  let network;
  before(async () => {
    network = await makeNetwork(names);
    await fillCaches(network);
  });
  after(() => network?.close());
  return () => network;
}
