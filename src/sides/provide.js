import {createHash} from 'node:crypto';
import {cp, readdir, readFile, symlink} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {makeFolders} from '../files/make-folders.js';
import {fetchInto} from '../packages/install.js';
import {ignoreExisting, keepFolder, root} from '../packages/keep-folder.js';
import {provideCommit} from './provide-commit.js';
import {providePrograms} from './provide-programs.js';

/**
 * @import {Program, Side} from '../settings/side.js'
 * @import {UnavailableError, UsageError} from '../errors.js'
 * @import {How} from '../packages/keep-folder.js'
 */

/**
 * Fetches the packages of the sides, by npm, and makes the folders in which their roles run.
 *
 * @param {readonly Side[]} sides
 * @param {How} how
 * @returns {Promise<Side[]>} with the paths of Node.js and of the folders
 * @throws {UnavailableError} when npm cannot provide a package
 * @throws {UsageError} when a commit does not exist
 */
export async function provideSides(sides, how) {
  const provided = [];
  for (const side of sides) provided.push({...side, program: await provideProgram(side.program, how)});
  return provided;
}

/** @param {Program} program @param {How} how @returns {Promise<Program>} */
async function provideProgram(program, how) {
  const {node, ...others} = program.packages ?? {};
  const own = Object.entries(others).map(([name, version]) => `${name}@${version}`);
  return {
    ...program,
    ...(node !== undefined && {node: await provideNode(`node@${node}`, how)}),
    ...(own.length > 0 && {folder: await provideFolder(own, how)}),
    ...(program.ref !== undefined && {folder: await provideCommit(program.ref, how)}),
    ...(program.programsRef !== undefined && {programsIn: await providePrograms(program.programsRef, how)}),
  };
}

/** The npm package "node" has the program; its install script fetches that of this platform. @param {string} spec @param {How} how */
async function provideNode(spec, how) {
  const folder = await provide([spec], fileName([spec]), how, async () => {});
  return join(folder, 'node_modules/node/bin/node');
}

/**
 * A copy of the program whose own packages are links to the installed ones, but for those that were asked for.
 * @param {readonly string[]} specs
 * @param {How} how
 */
async function provideFolder(specs, how) {
  const links = await installedPackages();
  const name = `${fileName(specs)}-${await hashOf([...specs, ...links.values()])}`;
  return await provide(specs, name, how, async (folder) => {
    await cp(join(root, 'src'), join(folder, 'src'), {recursive: true});
    for (const [name, path] of links) {
      const target = join(folder, 'node_modules', name);
      await makeFolders(dirname(target));
      // What npm has installed there stays.
      await symlink(path, target).catch(ignoreExisting);
    }
  });
}

/**
 * The nearest folder first, as Node.js looks for packages: an installed package may have some of its own and others around it.
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
 * A folder with these packages.
 * @param {readonly string[]} specs
 * @param {string} name of the folder
 * @param {How} how
 * @param {(folder: string) => Promise<void>} complete
 * @returns {Promise<string>}
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
 * Of another version of this program, the copy would be out of date. Of another checkout, its links would lead into that one, which may be deleted.
 * @param {readonly string[]} parts
 */
async function hashOf(parts) {
  const hash = createHash('sha256').update(parts.join('\0'));
  for (const name of (await readdir(join(root, 'src'), {recursive: true})).sort())
    if (name.endsWith('.js')) hash.update(await readFile(join(root, 'src', name)));
  return hash.digest('hex').slice(0, 12);
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
