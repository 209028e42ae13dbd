import {readdir, readFile, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {findExecutable, missing, pathFolders} from '../programs.js';
import {homeFolder} from './home.js';

/**
 * @import {UnavailableError} from '../../errors.js'
 * @import {BrokerSettings} from '../kind.js'
 */

/**
 * The folders to search for `rabbitmq-server`, the best first. The packages for Debian and Fedora put a wrapper on PATH that
 * requires the user rabbitmq; the script behind the wrapper does not.
 * @param {BrokerSettings} [settings]
 * @throws {UnavailableError} when the settings name a RabbitMQ that is not installed
 */
export async function programFolders({home} = {}) {
  const named = home === undefined ? null : await homeFolder(home);
  if (named !== null) return [join(named, 'sbin')];
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
 * @property {string} control the path of `rabbitmqctl`, in the same folder
 * @property {string | null} application the folder of RabbitMQ's own code, next to its plugins; null if it was not found, or is an archive
 * @property {readonly string[]} codeFolders the folders of modules that RabbitMQ runs, in the best order for Erlang
 * @property {string | null} erlang the folder of the programs of its own Erlang; null: the Erlang on PATH
 * @property {string} epmd the path of Erlang's port mapper daemon
 * @property {string | null} setpriv the path of `setpriv`, which ties a process's life to its parent's (Linux)
 */

/**
 * Finds the programs and folders that a private broker needs.
 * @param {string} server the path of `rabbitmq-server`
 * @param {string | null} setpriv
 * @returns {Promise<Programs>}
 * @throws {UnavailableError} PB_BROKER_UNAVAILABLE, with the command that installs RabbitMQ
 */
export async function programsBeside(server, setpriv) {
  const script = await realpath(server).catch(() => server);
  const ownErlang = join(dirname(dirname(script)), 'erlang', 'bin');
  const erlang = (await findExecutable('erl', [ownErlang])) === null ? null : ownErlang;
  const epmd = await findEpmd(erlang);
  if (epmd === null) {
    throw missing(
      {name: 'rabbitmq', label: 'RabbitMQ', program: 'rabbitmq-server'},
      `${server} is installed, but Erlang's epmd was not found beside it or on PATH.`,
    );
  }
  const control = join(dirname(server), 'rabbitmqctl');
  const applications = await subfolders(join(dirname(dirname(script)), 'plugins'));
  const application = applications.find((folder) => /\/rabbit-[\d.]+$/.test(folder)) ?? null;
  const folders = await codeFolders([...applications, ...(await librariesOfErlang(erlang))]);
  return {server, control, application, codeFolders: folders, erlang, epmd, setpriv};
}

/** @param {string | null} own @returns {Promise<string[]>} the folders of Erlang's applications; none if they were not found */
async function librariesOfErlang(own) {
  const root = await findErlang(own === null ? pathFolders() : [own]);
  return root === null ? [] : await subfolders(join(root, 'lib'));
}

/** @param {string | null} own @returns {Promise<string | null>} the absolute path of Erlang's port mapper daemon, or null */
async function findEpmd(own) {
  if (own !== null) return await findExecutable('epmd', [own]);
  const root = await findErlang([...pathFolders(), '/usr/local/bin', '/opt/homebrew/bin']);
  const roots = ['/usr/lib/erlang', '/usr/lib64/erlang', '/usr/local/lib/erlang', '/opt/homebrew/lib/erlang'];
  if (root !== null) roots.unshift(root);
  const runtimes = (await Promise.all(roots.map(subfolders)))
    .flat()
    .filter((folder) => /\/erts-[^/]+$/.test(folder));
  return await findExecutable('epmd', [...pathFolders(), ...runtimes.map((folder) => join(folder, 'bin'))]);
}

/** @param {readonly string[]} folders the folders to search for `erl` @returns {Promise<string | null>} the folder of Erlang */
async function findErlang(folders) {
  const erl = await findExecutable('erl', folders);
  return erl === null ? null : dirname(dirname(await realpath(erl)));
}

/** @param {string} folder */
async function subfolders(folder) {
  const names = await readdir(folder).catch(() => []);
  return names.sort().map((name) => join(folder, name));
}

/**
 * Erlang caches the folders since this version of its kernel (OTP 26, https://github.com/erlang/otp/pull/6729). With OTP 27,
 * a node starts more slowly with `codeFolders` than without.
 */
const needsNoneSince = 9;
/** RabbitMQ also starts mnesia, which its description does not name. */
const started = ['rabbit', 'mnesia'];

/**
 * The folders of RabbitMQ's modules and of all applications that RabbitMQ needs, the largest first. Erlang searches the
 * folders for each module one after another. In the order of RabbitMQ's script, with the plugins before Erlang's libraries,
 * this search takes half of a node's start time with Erlang/OTP 25.
 * @param {readonly string[]} applications the folders of applications, such as ssl-10.8.7
 * @returns {Promise<string[]>} excludes paths with a space, where the script would split them; empty for OTP 26 and later,
 *   or if Erlang's libraries are not known
 */
export async function codeFolders(applications) {
  const kernel = applications.find((one) => nameOf(one) === 'kernel');
  if (kernel === undefined || Number(/-(\d+)[^-]*$/.exec(kernel)?.[1]) >= needsNoneSince) return [];
  /** The number of modules in each folder. @type {Map<string, number>} */
  const sizes = new Map();
  const visit = async (/** @type {string} */ name) => {
    const [application, ...others] = applications.filter((one) => nameOf(one) === name);
    // If there are several versions, Erlang selects one.
    if (application === undefined || others.length > 0) return;
    const folder = join(application, 'ebin');
    if (sizes.has(folder)) return;
    const files = await readdir(folder).catch(() => []);
    sizes.set(folder, files.filter((file) => file.endsWith('.beam')).length);
    const description = await readFile(join(folder, `${name}.app`), 'utf8').catch(() => '');
    for (const needed of neededBy(description)) await visit(needed);
  };
  for (const name of started) await visit(name);
  return [...sizes]
    .filter(([folder, size]) => size > 0 && !/\s/.test(folder))
    .toSorted(([, one], [, other]) => other - one)
    .map(([folder]) => folder);
}

/** @param {string} application a folder such as /usr/lib/erlang/lib/ssl-10.8.7 */
function nameOf(application) {
  return basename(application).replace(/-[^-]*$/, '');
}

/** @param {string} description the content of an .app file @returns {string[]} the names of the required applications */
function neededBy(description) {
  const [, list = ''] = /\{\s*applications\s*,\s*\[([^\]]*)\]/.exec(description) ?? [];
  return list.match(/\w+/g) ?? [];
}
