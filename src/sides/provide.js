import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {UnavailableError} from '../errors.js';

/** @import {Program, Side} from '../settings/side.js' */

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Fetches the packages of the sides, by npm, and makes the folders in which their roles run. What was fetched is kept in
 * ~/.cache/perf-battle/sides, which can be deleted.
 *
 * @param {readonly Side[]} sides
 * @param {{log: (line: string) => void, signal: AbortSignal}} how
 * @returns {Promise<Side[]>} with the paths of Node.js and of the folders
 * @throws {UnavailableError} when npm cannot provide a package
 */
export async function provideSides(sides, how) {
  const provided = [];
  for (const side of sides) provided.push({...side, program: await provideProgram(side.program, how)});
  return provided;
}

/** @param {Program} program @param {{log: (line: string) => void, signal: AbortSignal}} how @returns {Promise<Program>} */
async function provideProgram(program, how) {
  const {node, ...others} = program.packages ?? {};
  const own = Object.entries(others).map(([name, version]) => `${name}@${version}`);
  return {
    ...program,
    ...(node !== undefined && {node: await provideNode(`node@${node}`, how)}),
    ...(own.length > 0 && {folder: await provideFolder(own, how)}),
  };
}

/** The npm package "node" has the program; its install script fetches that of this platform. @param {string} spec @param {{log: (line: string) => void, signal: AbortSignal}} how */
async function provideNode(spec, how) {
  const folder = await provide([spec], how, async () => {});
  return join(folder, 'node_modules/node/bin/node');
}

/**
 * A copy of the program whose own packages are links to the installed ones, but for those that were asked for.
 * @param {readonly string[]} specs
 * @param {{log: (line: string) => void, signal: AbortSignal}} how
 */
function provideFolder(specs, how) {
  return provide(specs, how, async (folder) => {
    await cp(join(root, 'src'), join(folder, 'src'), {recursive: true});
    // The nearest folder first, as Node.js looks for packages: an installed package may have some of its own and others around it.
    for (const modules of createRequire(import.meta.url).resolve.paths('any') ?? [])
      for (const name of await packagesIn(modules)) {
        const target = join(folder, 'node_modules', name);
        await mkdir(dirname(target), {recursive: true});
        // What npm has installed there stays.
        await symlink(join(modules, name), target).catch(ignoreExisting);
      }
  });
}

/**
 * A folder with these packages, which is complete when it has its name.
 * @param {readonly string[]} specs
 * @param {{log: (line: string) => void, signal: AbortSignal}} how
 * @param {(folder: string) => Promise<void>} complete
 * @returns {Promise<string>}
 */
async function provide(specs, {log, signal}, complete) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'perf-battle', 'sides');
  const folder = join(cache, await nameOf(specs));
  if (await readFile(join(folder, 'package.json'), 'utf8').catch(() => null)) return folder;
  log(`Fetching ${specs.join(', ')} from npm.`);
  await mkdir(cache, {recursive: true});
  const part = await mkdtemp(join(cache, 'part-'));
  try {
    const description = {private: true, type: 'module', allowScripts: {node: true}};
    await writeFile(join(part, 'package.json'), JSON.stringify(description));
    const install = [
      'install',
      '--prefix',
      part,
      '--no-save',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
    ];
    await run('npm', [...install, ...specs], {signal}).catch((cause) => {
      signal.throwIfAborted();
      throw new UnavailableError(`npm could not install ${specs.join(', ')}: ${reasonIn(cause)}`, {cause});
    });
    await complete(part);
    await rename(part, folder).catch(ignoreExisting);
  } finally {
    await rm(part, {recursive: true, force: true});
  }
  return folder;
}

/**
 * What npm says: the code of its error, and the first sentence of its explanation.
 * @param {{message: string, stderr?: string}} failure
 */
function reasonIn({message, stderr = ''}) {
  const [code, explanation] = stderr
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/^code /, '').replace(/^notarget |^404 /, ''));
  return code === undefined ? message.split('\n')[0] : [code, explanation].filter(Boolean).join(': ');
}

/** Of another version of this program, the copy would be out of date. @param {readonly string[]} specs */
async function nameOf(specs) {
  const hash = createHash('sha256').update(specs.join(' '));
  for (const name of (await readdir(join(root, 'src'), {recursive: true})).sort())
    if (name.endsWith('.js')) hash.update(await readFile(join(root, 'src', name)));
  return `${specs.join('_').replace(/[^\w.@-]/g, '-')}-${hash.digest('hex').slice(0, 12)}`;
}

/** @param {string} modules @returns {Promise<string[]>} their names, with scopes; none if there is no such folder */
async function packagesIn(modules) {
  const all = await readdir(modules).catch(() => /** @type {string[]} */ ([]));
  const names = all.filter((name) => !name.startsWith('.'));
  const scoped = await Promise.all(
    names.map(async (name) =>
      name.startsWith('@') ? (await readdir(join(modules, name))).map((one) => `${name}/${one}`) : [name],
    ),
  );
  return scoped.flat();
}

/** @param {NodeJS.ErrnoException} error */
function ignoreExisting(error) {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}
