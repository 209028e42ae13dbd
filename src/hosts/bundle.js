import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, posix, relative, resolve, sep} from 'node:path';
import {fileURLToPath} from 'node:url';
import {createGzip} from 'node:zlib';
import {RunError} from '../errors.js';
import {findPackage, packageAbove, packagesFolder} from '../packages/load.js';

/**
 * @import {Readable} from 'node:stream'
 * @import {Bundle} from './types.js'
 */

const packageFolder = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const ownFolders = ['bin', 'src', 'infra'];
/** Only the ec2 commands need AWS's SDK, and they run on this host. */
const excludedDependencies = /^@aws-sdk\//;
/** Files that no code loads: TypeScript, source maps, texts, and sources of native parts. */
const unneeded = /\.([cm]?ts|map|md|markdown|c|cc|cpp|h|hh|hpp)$/;
/** The maximum size of the package of a transport that is not part of perf-battle. */
const maxModuleBytes = 64 * 1024 ** 2;
/** Level 3 takes 0.40 s of CPU instead of 0.67 s at level 6, for 8 % more bytes. */
const compression = {level: 3, chunkSize: 64 * 1024};

/**
 * Reads files synchronously, which takes half of the CPU time for two thousand small files. Nothing else runs at this time.
 * @param {readonly string[]} [modules] URLs of transports that are not part of perf-battle; their packages and dependencies are included
 * @returns {Bundle}
 * @throws {RunError} PB_NOT_SHIPPABLE when a dependency is not in the folders that Node.js searches, or the package of a module is too large
 */
export function makeBundle(modules = []) {
  const {
    version,
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
  } = readPackage(packageFolder);
  const optional = Object.fromEntries(
    Object.entries({...optionalDependencies, ...peerDependencies}).filter(
      ([name]) => !excludedDependencies.test(name),
    ),
  );
  /** @type {Set<string>} folders of packages */
  const folders = new Set();
  collect(packageFolder, {needed: dependencies, optional}, folders);
  const brought = modules.map((url) => folderOf(fileURLToPath(url)));
  for (const folder of brought) {
    const {dependencies: needed = {}, peerDependencies: peers = {}} = readPackageIfAny(folder);
    // Their imports of perf-battle load this package.
    const {'perf-battle': _, ...optionalOfModule} = {...needed, ...peers};
    collect(folder, {needed: {}, optional: optionalOfModule}, folders);
  }
  const base = commonFolder([packageFolder, ...brought, ...folders]);
  const cached = packagesFolder();
  const hasCached = [...folders].some((folder) => folder.startsWith(`${cached}${sep}`));
  const own = ownFolders.flatMap((folder) => filesIn(join(packageFolder, folder)));
  const theirs = [...folders].flatMap(filesIn);
  const ofModules = brought.flatMap(visibleFilesIn);
  const files = [
    ...new Set(
      [join(packageFolder, 'package.json'), ...own, ...theirs, ...ofModules].map((path) =>
        relative(base, path),
      ),
    ),
  ].sort();
  const name = `${version}-${hashOf(base, files)}`;
  const inBase = (/** @type {string} */ folder) => relative(base, folder).split(sep).join('/');
  return {name, base, files, entry: inBase(packageFolder), packages: hasCached ? inBase(cached) : null};
}

/** @param {Bundle} bundle @returns {Readable} a compressed tar archive; emits an error when tar fails */
export function packBundle({base, files}) {
  const tar = spawn('tar', ['-cf', '-', '-C', base, '-T', '-'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Stops macOS from adding AppleDouble files.
    env: {...process.env, COPYFILE_DISABLE: '1'},
  });
  const archive = createGzip(compression);
  let errors = '';
  tar.stderr.on('data', (text) => {
    errors += text;
  });
  tar.once('error', (error) => archive.destroy(new RunError(`tar could not be started: ${error.message}.`)));
  // The archive ends when tar has succeeded, which is later than the end of its output.
  tar.once('close', (code) => {
    if (code) archive.destroy(new RunError(`perf-battle could not be packed: ${errors.trim()}`));
    else archive.end();
  });
  tar.stdout.pipe(archive, {end: false});
  // If the archive is destroyed before it is complete, tar ends, too.
  archive.once('close', () => tar.stdout.destroy());
  tar.stdin.on('error', () => {});
  tar.stdin.end(`${files.join('\n')}\n`);
  return archive;
}

/**
 * @param {string} folder of a package
 * @param {{needed: Record<string, string>, optional: Record<string, string>}} dependencies
 * @param {Set<string>} folders receives the folder of each dependency
 */
function collect(folder, {needed, optional}, folders) {
  for (const name of [...Object.keys(needed), ...Object.keys(optional)]) {
    const found = packageAbove(folder, name) ?? (name in optional ? findPackage(name) : null);
    if (!found && name in optional) continue;
    if (!found)
      throw new RunError(
        `perf-battle cannot be copied to another host: its dependency ${name} is not in a node_modules folder above ${folder}.`,
        {code: 'PB_NOT_SHIPPABLE'},
      );
    if (folders.has(found)) continue;
    folders.add(found);
    const {dependencies = {}, optionalDependencies = {}} = readPackage(found);
    collect(found, {needed: dependencies, optional: optionalDependencies}, folders);
  }
}

/** @param {string} folder @returns {string[]} without nested packages, because dependencies are collected separately */
function filesIn(folder) {
  return readdirSync(folder, {withFileTypes: true}).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return entry.isFile() && !unneeded.test(entry.name) ? [path] : [];
  });
}

/** Returns the folder of the package that a file belongs to; without a package, the folder of the file. @param {string} file */
function folderOf(file) {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return dirname(file);
  }
}

/** @param {string} folder */
function readPackageIfAny(folder) {
  return existsSync(join(folder, 'package.json')) ? readPackage(folder) : {};
}

/** The package of a transport may be a whole project. @param {string} folder @returns {string[]} without hidden files and folders, such as .git */
function visibleFilesIn(folder) {
  const files = filesIn(folder).filter((path) => !/(^|[/\\])\./.test(relative(folder, path)));
  const bytes = files.reduce((total, path) => total + statSync(path).size, 0);
  if (bytes > maxModuleBytes)
    throw new RunError(
      `${folder} cannot be copied to another host: it has ${Math.round(bytes / 1024 ** 2)} MB, and at most ${maxModuleBytes / 1024 ** 2} MB are allowed. Give the transport a package.json, in a folder of its own.`,
      {code: 'PB_NOT_SHIPPABLE'},
    );
  return files;
}

/** @param {readonly string[]} folders */
function commonFolder(folders) {
  let common = folders[0];
  while (
    !folders.every(
      (folder) => folder === common || folder.startsWith(`${common.replace(/[/\\]$/, '')}${sep}`),
    )
  )
    common = dirname(common);
  return common;
}

/** @param {string} base @param {readonly string[]} files */
function hashOf(base, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(base, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** @param {string} folder */
function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** The folder that holds a folder for each bundle, relative to the home folder of another host. */
export const cacheFolder = '.cache/perf-battle';

/**
 * Returns a script that prints the addresses of the connection, the home folder, whether the bundle is there, and every Node.js found. The script also
 * searches the common folders, because the PATH of a non-interactive shell often has no Node.js.
 * @param {string} bundleName
 */
export function probeScript(bundleName) {
  return `
echo "connection $SSH_CONNECTION"
echo "home $HOME"
[ -d "$HOME/${cacheFolder}/${bundleName}" ] && echo present
for node in "$(command -v node)" /usr/local/bin/node /opt/homebrew/bin/node "$HOME"/.nvm/versions/node/*/bin/node; do
  [ -x "$node" ] && echo "node $("$node" --version) $node"
done
exit 0
`;
}

/** @param {string} output of probeScript */
export function readProbe(output) {
  const lines = output.split('\n');
  const after = (/** @type {string} */ word) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const [callerAddress = '', , address = ''] = (after('connection')[0] ?? '').split(' ');
  const nodes = after('node').map((text) => {
    const [version, ...path] = text.split(' ');
    return {version, path: path.join(' ')};
  });
  return {nodes, callerAddress, address, home: after('home')[0] ?? '', hasBundle: lines.includes('present')};
}

/**
 * Returns a script that unpacks an archive from standard input into a folder. The folder appears complete or not at all. If two scripts run
 * at the same time, the folder of the first script stays.
 * @param {string} folder
 * @param {string} node the path of Node.js
 */
export function unpackScript(folder, node) {
  const cache = posix.dirname(folder);
  const rename = `try { fs.renameSync(...process.argv.slice(1)) } catch (error) { if (!fs.existsSync(process.argv[2])) throw error }`;
  return `
umask 077
mkdir -p "${cache}" || exit 1
new="${cache}/.new-$$"
trap "rm -rf \\"$new\\"" EXIT
trap "exit 1" HUP INT TERM PIPE
find "${cache}" -maxdepth 1 -name ".new-*" -mmin +60 -exec rm -rf {} + 2>/dev/null
mkdir "$new" && tar -xzf - -C "$new" && "${node}" -e "${rename}" "$new" "${folder}"
`;
}

/** Quotes a word of a command line for any shell. @param {string} word */
export function quoteForShell(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
