import {execFile} from 'node:child_process';
import {chmod} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {UnavailableError, UsageError} from '../errors.js';
import {quote} from '../files/quote.js';

/** @import {How} from './install.js' */

/**
 * A program on this host that runs JavaScript.
 * @typedef {{name: RuntimeName, file: string}} Runtime
 *
 * @typedef {object} RuntimeKind
 * @property {string} label the name in rows
 * @property {readonly string[]} programs the paths of the program below node_modules, on different platforms; the first that runs is used
 * @property {(flags: readonly string[]) => string[]} words the arguments before a script; flags: the flags of V8
 */

const {platform, arch} = process;

/** The runtimes, by the names of their npm packages. */
export const runtimeKinds = /** @satisfies {Record<string, RuntimeKind>} */ ({
  node: {
    label: 'Node',
    programs: ['node/bin/node'],
    words: (flags) => [...flags],
  },
  bun: {
    label: 'Bun',
    // Bun's install script selects the program for this processor. If npm runs no scripts, the programs stay in their packages.
    programs: [
      'bun/bin/bun.exe',
      ...['', '-musl', '-baseline', '-musl-baseline'].map(
        (variant) => `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}${variant}/bin/bun`,
      ),
    ],
    // JavaScriptCore does not support flags of V8.
    words: () => [],
  },
  deno: {
    label: 'Deno',
    programs: ['deno/deno', ...['-glibc', ''].map((variant) => `@deno/${platform}-${arch}${variant}/deno`)],
    words: (flags) => [
      ...['run', '--allow-all', '--quiet', '--no-lock', '--node-modules-dir=manual'],
      ...(flags.length > 0 ? [`--v8-flags=${flags.join(',')}`] : []),
    ],
  },
});

/** @typedef {keyof typeof runtimeKinds} RuntimeName */

const names = /** @type {readonly RuntimeName[]} */ (Object.keys(runtimeKinds));

/** The Node.js that runs perf-battle. */
export const ownRuntime = 'node';

/** @param {string} spec such as `node@24` or `bun` @returns {RuntimeName | undefined} undefined: no runtime has this name */
export function runtimeNameOf(spec) {
  const [, name] = /^([a-z]+)(?:@[\w.^~-]+)?$/.exec(spec) ?? [];
  return names.find((one) => one === name);
}

/**
 * @param {string} text such as `bun`, or `bun/node@24` for clients and servers
 * @returns {string | undefined} the shortest form of the text; undefined: the text is not allowed
 */
export function parseRuntimes(text) {
  const [client, server = client, ...more] = text.toLowerCase().split('/');
  if (more.length > 0 || !runtimeNameOf(client) || !runtimeNameOf(server)) return undefined;
  return client === server ? client : `${client}/${server}`;
}

/** @param {string} runtimes a result of `parseRuntimes` @param {'client' | 'server'} role @returns {string} such as `node@24` */
export function runtimeOf(runtimes, role) {
  const [client, server = client] = runtimes.split('/');
  return role === 'client' ? client : server;
}

/** @param {string} [runtimes] @returns {string | null} the label of a row, such as `Node 24`; null: the Node.js of perf-battle */
export function runtimesLabel(runtimes = ownRuntime) {
  if (runtimes === ownRuntime) return null;
  const [client, server] = runtimes.split('/').map(labelOf);
  return server === undefined ? client : `${client} client, ${server} server`;
}

/** @param {string} spec */
function labelOf(spec) {
  const [name, version] = spec.split('@');
  return [runtimeKinds[/** @type {RuntimeName} */ (name)].label, version].filter(Boolean).join(' ');
}

/**
 * @param {Runtime | null} runtime null: the Node.js of this process
 * @param {readonly string[]} flags flags of V8
 * @returns {string[]} the command that runs a script, without the script
 */
export function commandOf(runtime, flags) {
  if (runtime === null) return [process.execPath, ...flags];
  return [runtime.file, ...runtimeKinds[runtime.name].words(flags)];
}

/**
 * Fetches a runtime into the cache by npm, unless the cache has it.
 * @param {string} spec such as `node@24` or `bun`
 * @param {How} how
 * @returns {Promise<Runtime & {version: string}>} version: the output of the program
 * @throws {UnavailableError} when npm cannot provide the runtime, or it does not run on this host
 */
export async function provideRuntime(spec, how) {
  const name = runtimeNameOf(spec);
  if (name === undefined) throw new UsageError(`${quote(spec)} is no runtime.`);
  // The import is here because every process that starts roles loads this file.
  const {fetchInto, keepFolder} = await import('./install.js');
  // A runtime that does not run is not kept, because a person may correct npm's settings.
  const folder = await keepFolder('runtimes', spec, async (part) => {
    await fetchInto(part, [spec], how);
    await programIn(part, name, spec);
  });
  return {name, ...(await programIn(folder, name, spec))};
}

/** @param {string} folder @param {RuntimeName} name @param {string} spec @throws {UnavailableError} */
async function programIn(folder, name, spec) {
  for (const path of runtimeKinds[name].programs) {
    const file = join(folder, 'node_modules', path);
    const version = await versionOf(file);
    if (version !== null) return {file, version};
  }
  throw new UnavailableError(
    `npm provided no program of ${spec} that runs on ${platform} ${arch}. Some come by the install scripts of their package, which the settings of npm may forbid (ignore-scripts). Otherwise leave it out of --runtime.`,
  );
}

/** @param {string} file @returns {Promise<string | null>} null: the program does not exist, or does not run here */
async function versionOf(file) {
  try {
    await chmod(file, 0o755);
    const {stdout} = await promisify(execFile)(file, ['--version'], {timeout: 20_000});
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}
