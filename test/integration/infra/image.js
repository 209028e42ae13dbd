import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, cp, mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {run, searchPath} from '../support/network-commands.js';
import {folder as manifests} from './manifests.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program with a read-only root file system, as a user without privileges. Its parameters: folder, user, and the command line. */
const confine = `
cd "$0" && exec unshare --mount sh -c '
mount -o remount,ro,bind / && exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs "$@"' "$@"`;

/**
 * Executes the steps of the Dockerfile that create files, in a folder instead of an image.
 * @param {string} place an empty folder
 */
export async function makeImage(place) {
  const text = await readFile(join(manifests, 'Dockerfile'), 'utf8');
  const steps = text
    .split('\n')
    .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1))
    .filter((step) => step !== undefined);
  const textOf = (/** @type {string} */ name) => steps.find(([word]) => word === name)?.[1] ?? '';
  const app = join(place, textOf('WORKDIR'));
  await mkdir(app, {recursive: true});
  for (const [word, rest] of steps) {
    if (word === 'COPY') await copy(rest.split(' '), app);
    if (word === 'RUN') await carryOut(rest, app, join(place, 'npm-cache'));
  }
  // Other users may enter the folder, as in an image.
  await chmod(place, 0o755);
  const user = textOf('USER');
  const entry = JSON.parse(textOf('ENTRYPOINT'));
  const command = (/** @type {string[]} */ parameters) => ['-c', confine, app, user, ...entry, ...parameters];
  return {
    user: Number(user),
    /** Runs it to its end. @param {string[]} parameters @param {Record<string, string>} environment */
    run: (parameters, environment) => run('sh', command(parameters), environment),
    /** @param {string[]} parameters @param {Record<string, string>} environment */
    start: (parameters, environment) => untilReady(command(parameters), environment),
  };
}

/** @param {string} step @param {string} app @param {string} cache of npm, instead of the user's: a step may clear it */
async function carryOut(step, app, cache) {
  const environment = {...process.env, npm_config_cache: cache};
  const {code, stderr} = await run('sh', ['-c', `cd '${app}' && ${step}`], environment);
  if (code !== 0) throw new Error(`The step "${step}" ended with ${code}: ${stderr}`);
}

/** @param {string[]} paths the last is the destination @param {string} app */
async function copy(paths, app) {
  const target = paths[paths.length - 1];
  for (const path of paths.slice(0, -1)) {
    const to = target.endsWith('/') ? join(app, target, path) : join(app, target);
    await cp(join(repository, path), to, {recursive: true});
  }
}

/**
 * @param {string[]} command
 * @param {Record<string, string>} environment
 * @returns {Promise<{end: () => Promise<number | null>}>} end: its exit code
 * @throws {Error} when its first event is another one, or when it has none
 */
async function untilReady(command, environment) {
  const child = spawn('sh', command, {
    env: {PATH: searchPath, ...environment},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  const {value = '{}'} = await lines.next();
  if (JSON.parse(value).event === 'ready')
    return {
      async end() {
        child.kill();
        return (await exited)[0];
      },
    };
  child.kill();
  throw new Error(`${command.slice(3).join(' ')} is not ready: ${value}`);
}
