/**
 * Where RabbitMQ and Erlang are installed on this host, and what installs them.
 */
import {constants} from 'node:fs';
import {access, readdir, realpath} from 'node:fs/promises';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {UnavailableError} from '../../errors.js';

/**
 * The folders to look in for `rabbitmq-server`, the best first. What packages for Debian and Fedora put on PATH is a
 * wrapper that insists on running as the user rabbitmq; the script behind it does not.
 * @returns {Promise<string[]>}
 */
async function serverFolders() {
  const versions = await subfolders('/usr/lib/rabbitmq/lib');
  return [
    '/usr/lib/rabbitmq/bin',
    ...versions.map((version) => join(version, 'sbin')).reverse(),
    '/opt/homebrew/sbin',
    '/usr/local/sbin',
    ...pathFolders(),
  ];
}

/**
 * @param {string[]} [folders]
 * @returns {Promise<string | null>} the absolute path of `rabbitmq-server`, or null
 */
export async function findServer(folders) {
  return await findProgram('rabbitmq-server', folders ?? (await serverFolders()));
}

/**
 * @typedef {object} Programs
 * @property {string} server the path of `rabbitmq-server`
 * @property {string} control the path of `rabbitmqctl`, which stands beside it
 * @property {string} epmd the path of Erlang's port mapper daemon
 * @property {string | null} setpriv the path of `setpriv`, which ties a process's life to its parent's (Linux)
 */

/**
 * What a private broker needs.
 * @param {string[]} [folders] where to look for `rabbitmq-server`
 * @returns {Promise<Programs>}
 * @throws {UnavailableError} PB_BROKER_UNAVAILABLE, with the command that installs it
 */
export async function findPrograms(folders) {
  const server = await findServer(folders);
  if (server === null) throw missing('rabbitmq-server is not installed on this host.');
  const epmd = await findEpmd();
  if (epmd === null)
    throw missing(`${server} is installed, but Erlang's epmd was not found beside it or on PATH.`);
  return {server, control: join(dirname(server), 'rabbitmqctl'), epmd, setpriv: await findSetpriv()};
}

/** @param {string} what */
function missing(what) {
  return new UnavailableError(`There is no RabbitMQ: ${what} Install it with: ${installCommand()}`, {
    code: 'PB_BROKER_UNAVAILABLE',
  });
}

/** @returns {Promise<string | null>} the absolute path of Erlang's port mapper daemon, or null */
async function findEpmd() {
  const erl = await findProgram('erl', [...pathFolders(), '/usr/local/bin', '/opt/homebrew/bin']);
  const roots = ['/usr/lib/erlang', '/usr/lib64/erlang', '/usr/local/lib/erlang', '/opt/homebrew/lib/erlang'];
  if (erl) roots.unshift(dirname(dirname(await realpath(erl))));
  const runtimes = (await Promise.all(roots.map(subfolders)))
    .flat()
    .filter((folder) => /\/erts-[^/]+$/.test(folder));
  return await findProgram('epmd', [...pathFolders(), ...runtimes.map((folder) => join(folder, 'bin'))]);
}

/** @returns {Promise<string | null>} the absolute path of `setpriv` of util-linux, or null */
async function findSetpriv() {
  return process.platform === 'linux' ? await findProgram('setpriv', pathFolders()) : null;
}

/** @returns {string} the one command that installs RabbitMQ on this host */
export function installCommand() {
  const script = fileURLToPath(new URL('../../../infra/rabbitmq/install.sh', import.meta.url));
  const quoted = /^[\w./@+-]+$/.test(script) ? script : `'${script.replaceAll("'", `'\\''`)}'`;
  return `${process.getuid?.() === 0 ? '' : 'sudo '}bash ${quoted}`;
}

/** @returns {string[]} the folders of PATH and those of system programs, which an ordinary user's PATH often lacks */
export function pathFolders() {
  const named = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return [...new Set([...named, '/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/bin', '/bin'])];
}

/** @param {string} name @param {string[]} folders */
async function findProgram(name, folders) {
  for (const folder of folders) {
    const file = join(folder, name);
    if (await isExecutable(file)) return file;
  }
  return null;
}

/** @param {string} file */
async function isExecutable(file) {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** @param {string} folder */
async function subfolders(folder) {
  const names = await readdir(folder).catch(() => []);
  return names.sort().map((name) => join(folder, name));
}
