import {spawn} from 'node:child_process';
import {mkdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {RunError, UnavailableError} from '../errors.js';
import {makeFolders, makeOwnedFolder, removeOwnedFolder, sweepOwnedFolders} from '../files/folders.js';
import {maskPassword} from '../files/quote.js';
import {untilAborted} from '../measure/bounds.js';
import {sendSignal} from '../measure/system.js';
import {cacheFolder, fetched, findPackage} from './load.js';

/**
 * Fetches an optional package into the cache, unless it is already in the cache or next to perf-battle.
 * @param {string} name @param {How} how
 * @returns {Promise<string>} the folder of the package
 * @throws {UnavailableError} when npm cannot provide the package
 */
export async function installPackage(name, how) {
  const found = findPackage(name);
  if (found !== null) return found;
  const {spec, folder} = fetched(name);
  const kept = await keepFolder('packages', folder, (part) => fetchInto(part, [spec], how));
  return join(kept, 'node_modules', name);
}

/** @param {string} folder @param {readonly string[]} specs the arguments of npm install @param {How} how */
export async function fetchInto(folder, specs, how) {
  how.log(`Fetching ${specs.join(', ')} from npm.`);
  const description = {private: true, type: 'module', allowScripts: {node: true}};
  await writeFile(join(folder, 'package.json'), JSON.stringify(description));
  const words = ['install', '--no-save', '--no-package-lock', ...specs];
  await npm(words, specs.join(', '), {folder, ...how});
}

/** @typedef {{log: (line: string) => void, signal: AbortSignal}} How log: reports slow steps */

/** The folder of this program. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** The name of a folder begins with this prefix until it is complete. */
const partPrefix = 'part-';

/** The reason for each system error of the cache. */
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
 * A folder in ~/.cache/perf-battle, which a user may delete. A folder gets its name when it is complete.
 * @param {'sides' | 'packages' | 'runtimes'} what the purpose of the folder
 * @param {string} name
 * @param {(part: string) => Promise<void>} fill fills a new folder, and also writes a package.json
 * @returns {Promise<string>} the path
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
    // An incomplete folder may have the name if a person has deleted a part of the cache.
    if (!(await isComplete(folder))) await rm(folder, {recursive: true, force: true});
    // Another process may have filled the folder in the meantime.
    await rename(content, folder).catch(ignoreExisting);
  } finally {
    await removeOwnedFolder(part);
  }
}

/** @param {NodeJS.ErrnoException} error */
export function ignoreExisting(error) {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

/** @param {string} cache @param {unknown} error @returns {unknown} an error that is no system error is unchanged */
function explain(cache, error) {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error;
  const reason = explanations.get(String(error.code)) ?? error.message;
  return new RunError(
    `The cache ${maskPassword(cache)} cannot be used: ${reason}. Set XDG_CACHE_HOME to a folder that is writable and has free space.`,
    {cause: error},
  );
}

/** The codes of errors of this host, not of npm's registry. */
const ofThisHost = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM)\b/;

/**
 * @param {readonly string[]} words the command of npm and its arguments
 * @param {string} what the installed packages, for messages
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
 * The code of npm's error, and the first sentence of its explanation.
 * @param {string} stderr
 * @returns {string | undefined} the last line of stderr if npm itself cannot run
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

/** A shell script that runs a program. When stdin ends, because the parent was killed, the script kills its process group. */
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
 * Runs an external program to its end. Its child processes end with the program, when the signal aborts, or when this process is killed.
 * @param {readonly string[]} command @param {AbortSignal} signal
 * @throws the signal's reason, after all processes have ended
 */
export async function runGuarded(command, signal) {
  signal.throwIfAborted();
  // The program has its own process group: the guard can kill the group, and Ctrl-C in a terminal does not reach it.
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
