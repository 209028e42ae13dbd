import {execFile} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {cp, mkdir, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {basename, dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {RunError, UsageError} from '../errors.js';
import {makeFolders} from '../files/folders.js';
import {quote} from '../files/quote.js';
import {fetchInto, ignoreExisting, keepFolder, npm, root, runGuarded} from '../packages/install.js';
import {provideRuntime} from '../packages/runtimes.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {How} from '../packages/install.js'
 * @import {Program, Side} from '../settings/types.js'
 */

/**
 * Fetches the packages of the sides from npm, and makes the folders in which their roles run.
 * @param {readonly Side[]} sides @param {How} how @returns {Promise<Side[]>} the sides with the paths of Node.js and of the folders
 * @throws {UnavailableError} when npm cannot provide a package @throws {UsageError} when a commit does not exist
 */
export async function provideSides(sides, how) {
  const provided = [];
  for (const side of sides) provided.push({...side, program: await provideProgram(side.program, how)});
  return provided;
}

/**
 * Refuses commits that do not exist, before anything is fetched.
 * @param {readonly Side[]} sides @throws {UsageError}
 */
export async function refuseUnknownCommits(sides) {
  for (const {ref, programsRef} of sides.map(({program}) => program)) {
    if (ref !== undefined) await commitOf(ref);
    if (programsRef !== undefined) await locateCommit(programsRef);
  }
}

/** @param {Program} program @param {How} how */
async function provideProgram(program, how) {
  const {node, ...others} = program.packages ?? {};
  const own = Object.entries(others).map(([name, version]) => `${name}@${version}`);
  return {
    ...program,
    ...(node !== undefined && {node: (await provideRuntime(`node@${node}`, how)).file}),
    ...(own.length > 0 && {folder: await provideFolder(own, how)}),
    ...(program.ref !== undefined && {folder: await provideCommit(program.ref, how)}),
    ...(program.programsRef !== undefined && {programsIn: await providePrograms(program.programsRef, how)}),
  };
}

/**
 * Makes a copy of the program with the given packages. All other packages are links to the installed packages.
 * @param {readonly string[]} specs @param {How} how
 */
async function provideFolder(specs, how) {
  const links = await installedPackages();
  const name = `${fileName(specs)}-${await hashOf([...specs, ...links.values()])}`;
  return await provide(specs, name, how, async (folder) => {
    await cp(join(root, 'src'), join(folder, 'src'), {recursive: true});
    for (const [name, path] of links) {
      const target = join(folder, 'node_modules', name);
      await makeFolders(dirname(target));
      // A package that npm has installed there stays.
      await symlink(path, target).catch(ignoreExisting);
    }
  });
}

/**
 * Searches the nearest folder first, as Node.js does: an installed package may have packages of its own and packages of its parents.
 * @returns {Promise<Map<string, string>>} paths by name
 */
async function installedPackages() {
  /** @type {Map<string, string>} */
  const paths = new Map();
  for (const modules of createRequire(import.meta.url).resolve.paths('any') ?? [])
    for (const name of await packagesIn(modules)) if (!paths.has(name)) paths.set(name, join(modules, name));
  return paths;
}

/**
 * Makes a folder with these packages.
 * @param {readonly string[]} specs @param {string} name the folder's name @param {How} how @param {(folder: string) => Promise<void>} complete
 */
async function provide(specs, name, how, complete) {
  return await keepFolder('sides', name, async (part) => {
    await fetchInto(part, specs, how);
    await complete(part);
  });
}

/** @param {readonly string[]} specs */
function fileName(specs) {
  return specs.join('_').replace(/[^\w.@-]/g, '-');
}

/**
 * The hash depends on the scripts, because a copy of another version would be out of date. It depends on the parts, because links into another
 * checkout would break if that checkout is deleted.
 * @param {readonly string[]} parts
 */
async function hashOf(parts) {
  const hash = createHash('sha256').update(parts.join('\0'));
  for (const name of (await readdir(join(root, 'src'), {recursive: true})).sort())
    if (name.endsWith('.js')) hash.update(await readFile(join(root, 'src', name)));
  return hash.digest('hex').slice(0, 12);
}

/** @param {string} modules @returns {Promise<string[]>} the names of the packages, with scopes; empty if the folder does not exist */
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

/**
 * Makes a folder with the scripts of a commit of this program and the packages of its lock file. If this checkout has the same lock file, its
 * packages are used.
 * @param {string} ref a commit, as git names it: a tag, a branch, HEAD~3 @param {How} how @returns {Promise<string>} the path of the folder
 */
async function provideCommit(ref, how) {
  const commit = await commitOf(ref);
  const installed = join(root, 'node_modules');
  const isSame =
    existsSync(installed) && (await lockOf(commit)) === (await readFile(join(root, lock), 'utf8'));
  const packages = isSame ? createHash('sha256').update(root).digest('hex').slice(0, 12) : 'own';
  return await keepFolder('sides', `commit-${commit.slice(0, 12)}-${packages}`, async (part) => {
    const paths = ['src', 'package.json', lock];
    await extractCommit(root, {...{commit, paths, target: part}, signal: how.signal});
    if (isSame) return await symlink(installed, join(part, 'node_modules'));
    how.log(`Fetching the packages of ${ref} from npm.`);
    await npm(['ci', '--omit=dev'], `the packages of ${ref}`, {folder: part, signal: how.signal});
  });
}

const lock = 'package-lock.json';

/** @param {string} ref @returns {Promise<string>} the full hash */
async function commitOf(ref) {
  try {
    const name = await git(root, ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`]);
    await lockOf(name.trim());
    return name.trim();
  } catch (cause) {
    throw new UsageError(
      `git=${quote(ref)} needs a commit of perf-battle with its package-lock.json, and a checkout with its history. git finds none in ${root}.`,
      {cause},
    );
  }
}

/** @param {string} commit */
function lockOf(commit) {
  return git(root, ['show', `${commit}:./${lock}`]);
}

/**
 * Makes the folder in which programs of other authors start: the current folder, as of a commit of its repository. If the folder has a lock
 * file of npm, the packages of the lock file are installed. The commands of the programs must make everything else, such as a compiler's output.
 * @param {string} ref a commit, as git names it: a tag, a branch, HEAD~3 @param {How} how @returns {Promise<string>} the path of the folder
 */
async function providePrograms(ref, how) {
  const {repository, within, commit} = await locateCommit(ref);
  const hash = createHash('sha256').update(join(repository, within)).digest('hex').slice(0, 12);
  const name = `programs-${basename(repository)}-${hash}-${commit.slice(0, 12)}`;
  const kept = await keepFolder('sides', name, async (part) => {
    const target = join(part, 'commit');
    await mkdir(target);
    await extractCommit(repository, {commit, target, signal: how.signal});
    const folder = join(target, within);
    if (existsSync(join(folder, 'package-lock.json'))) {
      how.log(`Fetching the packages of ${ref} from npm.`);
      await npm(['ci', '--omit=dev'], `the packages of ${ref}`, {folder, signal: how.signal});
    }
    await writeFile(join(part, 'package.json'), '{}');
  });
  return join(kept, 'commit', within);
}

/**
 * Finds a commit of the repository of the current folder. The commit must contain the current folder.
 * @param {string} ref
 * @returns {Promise<{repository: string, within: string, commit: string}>} within: the path of the current folder in the repository
 */
async function locateCommit(ref) {
  const here = process.cwd();
  try {
    const [repository, within, commit] = await Promise.all([
      git(here, ['rev-parse', '--show-toplevel']),
      git(here, ['rev-parse', '--show-prefix']),
      git(here, ['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`]),
    ]);
    await git(here, ['cat-file', '-e', `${commit.trim()}:${within.trim()}`]);
    return {repository: repository.trim(), within: within.trim(), commit: commit.trim()};
  } catch (cause) {
    throw new UsageError(
      `programs-git=${quote(ref)} needs a commit of the repository of this folder, which has this folder. git finds none in ${here}.`,
      {cause},
    );
  }
}

const run = promisify(execFile);
const maxOutputBytes = 64 * 1024 * 1024;

/** @param {string} folder the working directory @param {readonly string[]} words @returns {Promise<string>} the standard output */
async function git(folder, words) {
  return (await run('git', ['-C', folder, ...words], {maxBuffer: maxOutputBytes})).stdout;
}

/**
 * Extracts files of a commit into a folder.
 * @param {string} repository
 * @param {{commit: string, paths?: readonly string[], target: string, signal: AbortSignal}} what paths: default all; target: an existing folder
 */
async function extractCommit(repository, {commit, paths = [], target, signal}) {
  // The archive is not inside the folder, because the commit may have a file of any name.
  const archive = `${target}.tar`;
  try {
    await mustRun(['git', '-C', repository, 'archive', '--output', archive, commit, ...paths], signal);
    await mustRun(['tar', '-xf', archive, '-C', target], signal);
  } finally {
    await rm(archive, {force: true});
  }
}

/** @param {readonly string[]} command @param {AbortSignal} signal */
async function mustRun(command, signal) {
  const {code, stderr} = await runGuarded(command, signal);
  if (code === 0) return;
  const reason = stderr.trim().split('\n').at(-1) || `it ended with exit code ${code}`;
  throw new RunError(`${command[0]} could not extract a commit: ${reason}`);
}
