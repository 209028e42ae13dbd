import {spawn} from 'node:child_process';
import {mkdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {RunError, UnavailableError} from '../errors.js';
import {makeFolders, makeOwnedFolder, removeOwnedFolder, sweepOwnedFolders} from '../files/folders.js';
import {maskPassword} from '../files/given-file.js';
import {untilAborted} from '../measure/bounds.js';
import {sendSignal} from '../measure/system.js';
import {cacheFolder, fetched, findPackage} from './load.js';

/**
 * Fetches an optional package into the cache, unless it is there or beside perf-battle.
 * @param {string} name @param {How} how
 * @returns {Promise<string>} its folder
 * @throws {UnavailableError} when npm cannot provide it
 */
export async function installPackage(name, how) {
  const found = findPackage(name);
  if (found !== null) return found;
  const {spec, folder} = fetched(name);
  const kept = await keepFolder('packages', folder, (part) => fetchInto(part, [spec], how));
  return join(kept, 'node_modules', name);
}

/**
 * Installs packages of npm in a folder.
 * @param {string} folder @param {readonly string[]} specs @param {How} how
 */
export async function fetchInto(folder, specs, how) {
  how.log(`Fetching ${specs.join(', ')} from npm.`);
  const description = {private: true, type: 'module', allowScripts: {node: true}};
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  const words = ['install', '--no-save', '--no-package-lock', ...specs];
  await npm(words, specs.join(', '), {folder, ...how});
}

/** @typedef {{log: (line: string) => void, signal: AbortSignal}} How log: says what takes long */

/** The folder of this program. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Of folders that are being filled. */
const partPrefix = 'part-';

/** Why the cache cannot be used, for each system error. */
const explanations = new Map([
  ['ENOTDIR', 'a part of its path is not a folder'],
  ['EEXIST', 'a part of its path is not a folder'],
  ['ENOENT', 'it cannot be created there'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'its file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'your disk quota is used up'],
]);

/**
 * A folder in ~/.cache/perf-battle, which can be deleted. It is complete when it has its name.
 * @param {'sides' | 'packages' | 'runtimes'} what it is for
 * @param {string} name
 * @param {(part: string) => Promise<void>} fill is not called if the folder is there. It writes a package.json, too
 * @returns {Promise<string>} its path
 * @throws {RunError} when the cache cannot be used
 */
export async function keepFolder(what, name, fill) {
  const cache = join(cacheFolder(), what);
  const folder = join(cache, name);
  if (await isComplete(folder)) return folder;
  try {
    await makeFolders(cache);
    await sweepOwnedFolders(cache, partPrefix);
    await fillFolder(folder, await makeOwnedFolder(cache, partPrefix), fill);
    return folder;
  } catch (error) {
    throw explain(cache, error);
  }
}

/** @param {string} folder */
async function isComplete(folder) {
  return await readFile(join(folder, 'package.json')).then(
    () => true,
    () => false,
  );
}

/** @param {string} folder @param {string} part @param {(part: string) => Promise<void>} fill */
async function fillFolder(folder, part, fill) {
  try {
    const content = join(part, 'content');
    await mkdir(content);
    await fill(content);
    // Something may have its name without being complete, if a person deleted a part of the cache.
    if (!(await isComplete(folder))) await rm(folder, {recursive: true, force: true});
    // Another process may have filled it meanwhile.
    await rename(content, folder).catch(ignoreExisting);
  } finally {
    await removeOwnedFolder(part);
  }
}

/** @param {NodeJS.ErrnoException} error */
export function ignoreExisting(error) {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

/** @param {string} cache @param {unknown} error @returns {unknown} any other error is unchanged */
function explain(cache, error) {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const reason = explanations.get(String(error.code)) ?? error.message;
  return new RunError(
    `The cache ${maskPassword(cache)} cannot be used: ${reason}. Set XDG_CACHE_HOME to a folder that is writable and has free space.`,
    {cause: error},
  );
}

/** What is wrong with this host, not with npm's registry. */
const ofThisHost = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM)\b/;

/**
 * @param {readonly string[]} words the command and its arguments
 * @param {string} what it installs, for messages
 * @param {{folder: string, signal: AbortSignal}} where
 * @throws {UnavailableError} with npm's reason
 * @throws {RunError} when a disk of this host is full or not writable
 */
export async function npm(words, what, {folder, signal}) {
  const command = ['npm', ...words, '--prefix', folder, '--no-audit', '--no-fund'];
  const {code, stderr} = await runGuarded(command, signal);
  if (code === 0) return;
  const reason = reasonIn(stderr) ?? `it ended with exit code ${code}`;
  const message = `npm could not install ${what}: ${reason}`;
  throw ofThisHost.test(reason) ? new RunError(message) : new UnavailableError(message);
}

/**
 * What npm says: the code of its error, and the first sentence of its explanation.
 * @param {string} stderr
 * @returns {string | undefined} the last line, where npm itself cannot run
 */
function reasonIn(stderr) {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const [code, explanation] = lines
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/^code /, '').replace(/^notarget |^404 /, ''));
  return code === undefined ? lines.at(-1) : [code, explanation].filter(Boolean).join(': ');
}

const outputCharacters = 64 * 1024;
const graceMs = 2000;

/** Runs a program until it ends. When standard input ends, because its parent was killed, it kills all of its process group. */
const guard = `
exec 3<&0
trap : TERM
"$@" </dev/null 3<&- &
program=$!
{ cat <&3 >/dev/null; kill -KILL 0; } 2>/dev/null >&2 &
watch=$!
wait $program
code=$?
while kill -0 $program 2>/dev/null; do wait $program; code=$?; done
kill $watch
exit $code
`;

/**
 * Runs a program of others to its end. What it starts ends with it: when the signal aborts, when it leaves something running, and when this process is killed.
 * @param {readonly string[]} command @param {AbortSignal} signal
 * @returns {Promise<{code: number | null, stderr: string}>}
 * @throws the signal's reason, when all has ended
 */
export async function runGuarded(command, signal) {
  signal.throwIfAborted();
  // A group of its own: the guard ends that group, and Ctrl-C in a terminal does not reach it before this process ends it.
  const child = spawn('sh', ['-c', guard, 'sh', ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-outputCharacters);
  });
  child.stdin.on('error', () => {});
  const kill = (/** @type {NodeJS.Signals} */ name) =>
    child.pid !== undefined && sendSignal(-child.pid, name);
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => kill('SIGKILL'));
    child.once('close', resolve);
  });
  try {
    return {code: await untilAborted(ended, signal), stderr};
  } catch (error) {
    kill('SIGTERM');
    const late = setTimeout(() => kill('SIGKILL'), graceMs);
    await ended.catch(() => {});
    clearTimeout(late);
    throw error;
  }
}
