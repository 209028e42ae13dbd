import {readdir, readFile} from 'node:fs/promises';
import {basename, join} from 'node:path';

/**
 * From this version of its kernel on (OTP 26), Erlang has a cache of the folders (https://github.com/erlang/otp/pull/6729). With OTP 27, a node
 * starts more slowly with these than without.
 */
const needsNoneSince = 9;
/** RabbitMQ starts the second one without naming it among those that it needs. */
const started = ['rabbit', 'mnesia'];

/**
 * The folders of the modules that RabbitMQ runs, its own and those of all applications that it needs, the largest first. For each module,
 * Erlang searches one folder after the other. In the order of RabbitMQ's script, with its plugins before Erlang's libraries, that is half of
 * the time that a node takes to start with Erlang/OTP 25.
 * @param {readonly string[]} applications their folders, which are named by name and version
 * @returns {Promise<string[]>} without those whose path has a space, at which that script would divide it. None for a later Erlang, or where
 *   its libraries are not known
 */
export async function codeFolders(applications) {
  const kernel = applications.find((one) => nameOf(one) === 'kernel');
  if (kernel === undefined || Number(/-(\d+)[^-]*$/.exec(kernel)?.[1]) >= needsNoneSince) return [];
  /** @type {Map<string, number>} how many modules a folder has */
  const sizes = new Map();
  const visit = async (/** @type {string} */ name) => {
    const [application, ...others] = applications.filter((one) => nameOf(one) === name);
    // Of several versions, Erlang knows which one to take.
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

/** @param {string} application its folder, such as /usr/lib/erlang/lib/ssl-10.8.7 */
function nameOf(application) {
  return basename(application).replace(/-[^-]*$/, '');
}

/** @param {string} description of an application, in Erlang's syntax @returns {string[]} their names */
function neededBy(description) {
  const [, list = ''] = /\{\s*applications\s*,\s*\[([^\]]*)\]/.exec(description) ?? [];
  return list.match(/\w+/g) ?? [];
}
