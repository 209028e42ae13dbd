import {execFile} from 'node:child_process';
import {chmod} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {UnavailableError, UsageError} from '../errors.js';
import {quote} from '../files/given-file.js';

/** @import {How} from './install.js' */

/**
 * A program that runs JavaScript, on this host.
 * @typedef {{name: RuntimeName, file: string}} Runtime
 *
 * @typedef {object} RuntimeKind
 * @property {string} label how a row names it
 * @property {readonly string[]} programs where npm puts the program of each platform, in the folder of its package; the first that runs is used
 * @property {(flags: readonly string[]) => string[]} words between the program and a script; flags: of V8
 */

const {platform, arch} = process;

/** By the name of the npm package that provides it. */
export const runtimeKinds = /** @satisfies {Record<string, RuntimeKind>} */ ({
  node: {
    label: 'Node',
    programs: ['node/bin/node'],
    words: (flags) => [...flags],
  },
  bun: {
    label: 'Bun',
    // Its install script chooses the program that runs on this processor. Where npm runs no scripts, the programs stay in their packages.
    programs: [
      'bun/bin/bun.exe',
      ...['', '-musl', '-baseline', '-musl-baseline'].map(
        (variant) => `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}${variant}/bin/bun`,
      ),
    ],
    // JavaScriptCore has no such flags.
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

/** @param {string} spec such as `node@24` or `bun` @returns {RuntimeName | undefined} undefined: there is none of that name */
export function runtimeNameOf(spec) {
  const [, name] = /^([a-z]+)(?:@[\w.^~-]+)?$/.exec(spec) ?? [];
  return names.find((one) => one === name);
}

/**
 * @param {string} text such as `bun`, or `bun/node@24` for clients and servers
 * @returns {string | undefined} the same in its shortest form; undefined: it is not allowed
 */
export function parseRuntimes(text) {
  const [client, server = client, ...more] = text.toLowerCase().split('/');
  if (more.length > 0 || !runtimeNameOf(client) || !runtimeNameOf(server)) return undefined;
  return client === server ? client : `${client}/${server}`;
}

/** @param {string} runtimes as `parseRuntimes` returns them @param {'client' | 'server'} role @returns {string} that of one role, such as `node@24` */
export function runtimeOf(runtimes, role) {
  const [client, server = client] = runtimes.split('/');
  return role === 'client' ? client : server;
}

/** @param {string} [runtimes] @returns {string | null} how a row names them, such as `Node 24`; null: all roles are in the Node.js of perf-battle */
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
 * The command that runs a script.
 * @param {Runtime | null} runtime null: the Node.js of this process
 * @param {readonly string[]} flags of V8
 * @returns {string[]} without the script
 */
export function commandOf(runtime, flags) {
  if (runtime === null) return [process.execPath, ...flags];
  return [runtime.file, ...runtimeKinds[runtime.name].words(flags)];
}

/**
 * Fetches a runtime into the cache by npm, unless it is there.
 * @param {string} spec such as `node@24` or `bun`
 * @param {How} how
 * @returns {Promise<Runtime & {version: string}>} version: as the program says
 * @throws {UnavailableError} when npm cannot provide it, or it does not run on this host
 */
export async function provideRuntime(spec, how) {
  const name = runtimeNameOf(spec);
  if (name === undefined) throw new UsageError(`${quote(spec)} is no runtime.`);
  // Loaded here: every process that starts roles knows what runtimes there are.
  const {fetchInto, keepFolder} = await import('./install.js');
  // What does not run is not kept: it may be npm's settings that a person corrects.
  const folder = await keepFolder('runtimes', spec, async (part) => {
    await fetchInto(part, [spec], how);
    await programIn(part, name, spec);
  });
  return {name, ...(await programIn(folder, name, spec))};
}

/**
 * @param {string} folder @param {RuntimeName} name @param {string} spec
 * @throws {UnavailableError}
 */
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

/** @param {string} file @returns {Promise<string | null>} null: it is not there, or does not run here */
async function versionOf(file) {
  try {
    await chmod(file, 0o755);
    const {stdout} = await promisify(execFile)(file, ['--version'], {timeout: 20_000});
    return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? null;
  } catch {
    return null;
  }
}
