import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {brokerKinds} from '../brokers/index.js';
import {transports} from '../transports/index.js';

/**
 * The versions that the record names; what a broker reports is filled in when there is one.
 * @returns {Promise<Record<string, string | null>>}
 */
export async function readVersions() {
  const libraries = transports.flatMap((transport) => transport.libraries);
  return {
    perfBattle: await packageVersion(),
    node: process.version,
    ...Object.fromEntries(brokerKinds.flatMap(({versions}) => versions.map((name) => [name, null]))),
    ...Object.fromEntries(
      await Promise.all(libraries.map(async (name) => [name, await libraryVersion(name)])),
    ),
  };
}

/** @returns {Promise<string>} the version of this package */
export async function packageVersion() {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text).version;
}

/**
 * Read from the library's folder: its package.json need not be among its exports.
 * @param {string} name
 * @returns {Promise<string | null>}
 */
async function libraryVersion(name) {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const text = await readFile(`${folder}/${name}/package.json`, 'utf8').catch(() => null);
    if (text) return JSON.parse(text).version;
  }
  return null;
}
