import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {brokerKinds} from '../brokers/index.js';
import {findPackage} from '../packages/load.js';
import {ownRuntime, provideRuntime, runtimeOf} from '../packages/runtimes.js';
import {transports} from '../transports/index.js';

/**
 * @import {Cell} from '../battle/types.js'
 * @import {How} from '../packages/install.js'
 * @import {Runtime} from '../packages/runtimes.js'
 */

/** @returns {Promise<Record<string, string | null>>} the versions for records; those of brokers are null until a broker reports them */
export async function readVersions() {
  const libraries = transports.flatMap(({libraries: names, module}) =>
    names.map((name) => ({name, from: module?.url ?? import.meta.url})),
  );
  return {
    perfBattle: await packageVersion(),
    node: process.version,
    ...Object.fromEntries(brokerKinds.flatMap(({versions}) => versions.map((name) => [name, null]))),
    ...Object.fromEntries(
      await Promise.all(libraries.map(async ({name, from}) => [name, await libraryVersion(name, from)])),
    ),
  };
}

/** @returns {Promise<string>} the version of this package */
export async function packageVersion() {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return JSON.parse(text).version;
}

/**
 * Reads the version from the library's folder, because the exports of a library may lack its package.json.
 * @param {string} name @param {string} from the file that loads it @returns {Promise<string | null>}
 */
async function libraryVersion(name, from) {
  const beside = (createRequire(from).resolve.paths(name) ?? []).map((folder) => join(folder, name));
  for (const folder of [...beside, findPackage(name) ?? []].flat()) {
    const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => null);
    if (text) return JSON.parse(text).version;
  }
  return null;
}

/**
 * Fetches the runtimes that cells name, except the Node.js of this process.
 * @param {readonly Pick<Cell, 'variant'>[]} cells @param {How} how
 * @returns {Promise<Map<string, Runtime & {version: string}>>} runtimes by specifier, such as `bun` or `node@24`
 */
export async function provideRuntimes(cells, how) {
  const named = cells.flatMap(({variant: {runtime = ownRuntime}}) => [
    runtimeOf(runtime, 'client'),
    runtimeOf(runtime, 'server'),
  ]);
  const provided = new Map();
  for (const spec of new Set(named))
    if (spec !== ownRuntime) provided.set(spec, await provideRuntime(spec, how));
  return provided;
}

/** @param {Awaited<ReturnType<typeof provideRuntimes>>} runtimes @returns {Record<string, string>} the versions by specifier */
export function versionsOf(runtimes) {
  return Object.fromEntries([...runtimes].map(([spec, {version}]) => [spec, version]));
}
