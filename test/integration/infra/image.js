import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmod, cp, mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {run, searchPath} from '../support/network-commands.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Runs a program with a read-only root file system, as a user without privileges. Its parameters: folder, user, and the command line. The
 * folder may be in another file system than the root.
 */
const confine = `
cd "$0" && exec unshare --mount sh -c '
mount -o remount,ro,bind / && mount -o remount,ro,bind "$(stat -c %m .)" && exec setpriv --reuid "$0" --regid "$0" --clear-groups --no-new-privs "$@"' "$@"`;

/**
 * Executes the steps of a Dockerfile that create files, in a folder instead of an image.
 * @param {string} place an empty folder
 * @param {string} dockerfile below the root of the repository
 * @param {{app: string, steps: readonly string[]}} [before] an image that began with the same steps, which are not executed again
 */
export async function executeSteps(place, dockerfile, before = {app: '', steps: []}) {
  const text = await readFile(join(repository, dockerfile), 'utf8');
  const lines = text.split('\n').filter((line) => /^[A-Z]+ /.test(line));
  const textOf = (/** @type {string} */ name) =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? '';
  const app = join(place, textOf('WORKDIR'));
  await mkdir(app, {recursive: true});
  const steps = lines.filter((line) => /^(COPY|RUN) /.test(line));
  const differs = steps.findIndex((step, index) => step !== before.steps[index]);
  if (differs > 0) await cp(before.app, app, {recursive: true});
  for (const step of steps.slice(differs)) {
    const [word, ...rest] = step.split(' ');
    if (word === 'COPY') await copy(rest, app);
    else await carryOut(rest.join(' '), app, join(place, 'npm-cache'));
  }
  return {app, steps, repeated: steps.slice(0, differs), textOf};
}

/**
 * The image of Kubernetes, in a folder.
 * @param {string} place an empty folder
 */
export async function makeImage(place) {
  const {app, steps, textOf} = await executeSteps(place, 'infra/kubernetes/Dockerfile');
  // Other users may enter the folder, as in an image.
  await chmod(place, 0o755);
  const user = textOf('USER');
  const entry = JSON.parse(textOf('ENTRYPOINT'));
  const command = (/** @type {string[]} */ parameters) => ['-c', confine, app, user, ...entry, ...parameters];
  return {
    ...{app, steps},
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
