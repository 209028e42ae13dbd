/**
 * Where RabbitMQ and Erlang are installed on this host.
 */
import {readdir, realpath} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {findExecutable, missing, pathFolders} from '../programs.js';
import {codeFolders} from './code-folders.js';

/** @import {UnavailableError} from '../../errors.js' */

/**
 * The folders to look in for `rabbitmq-server`, the best first. What packages for Debian and Fedora put on PATH is a
 * wrapper that insists on running as the user rabbitmq; the script behind it does not.
 * @returns {Promise<string[]>}
 */
export async function programFolders() {
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
 * @typedef {object} Programs
 * @property {string} server the path of `rabbitmq-server`
 * @property {string} control the path of `rabbitmqctl`, which stands beside it
 * @property {string | null} application the folder of RabbitMQ itself among those of its plugins; null if it is not where its script expects
 *   it, or in an archive
 * @property {readonly string[]} codeFolders where the modules are that it runs, in the best order for Erlang; those that were found
 * @property {string} epmd the path of Erlang's port mapper daemon
 * @property {string | null} setpriv the path of `setpriv`, which ties a process's life to its parent's (Linux)
 */

/**
 * What a private broker needs.
 * @param {string} server the path of `rabbitmq-server`
 * @param {string | null} setpriv
 * @returns {Promise<Programs>}
 * @throws {UnavailableError} PB_BROKER_UNAVAILABLE, with the command that installs it
 */
export async function programsBeside(server, setpriv) {
  const epmd = await findEpmd();
  if (epmd === null) {
    throw missing(
      {name: 'rabbitmq', label: 'RabbitMQ', program: 'rabbitmq-server'},
      `${server} is installed, but Erlang's epmd was not found beside it or on PATH.`,
    );
  }
  const control = join(dirname(server), 'rabbitmqctl');
  const script = await realpath(server).catch(() => server);
  const applications = await subfolders(join(dirname(dirname(script)), 'plugins'));
  const application = applications.find((folder) => /\/rabbit-[\d.]+$/.test(folder)) ?? null;
  const folders = await codeFolders([...applications, ...(await librariesOfErlang())]);
  return {server, control, application, codeFolders: folders, epmd, setpriv};
}

/** @returns {Promise<string[]>} the folders of Erlang's own applications; none if they are not beside the `erl` that RabbitMQ's script starts */
async function librariesOfErlang() {
  const root = await findErlang(pathFolders());
  return root === null ? [] : await subfolders(join(root, 'lib'));
}

/** @returns {Promise<string | null>} the absolute path of Erlang's port mapper daemon, or null */
async function findEpmd() {
  const root = await findErlang([...pathFolders(), '/usr/local/bin', '/opt/homebrew/bin']);
  const roots = ['/usr/lib/erlang', '/usr/lib64/erlang', '/usr/local/lib/erlang', '/opt/homebrew/lib/erlang'];
  if (root !== null) roots.unshift(root);
  const runtimes = (await Promise.all(roots.map(subfolders)))
    .flat()
    .filter((folder) => /\/erts-[^/]+$/.test(folder));
  return await findExecutable('epmd', [...pathFolders(), ...runtimes.map((folder) => join(folder, 'bin'))]);
}

/** @param {readonly string[]} folders in which to look for `erl` @returns {Promise<string | null>} the folder that Erlang is installed in */
async function findErlang(folders) {
  const erl = await findExecutable('erl', folders);
  return erl === null ? null : dirname(dirname(await realpath(erl)));
}

/** @param {string} folder */
async function subfolders(folder) {
  const names = await readdir(folder).catch(() => []);
  return names.sort().map((name) => join(folder, name));
}
