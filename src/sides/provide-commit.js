import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {readFile, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {keepFolder, root} from '../packages/keep-folder.js';
import {npm} from '../packages/npm.js';
import {extractCommit, git} from './git.js';

/** @import {How} from '../packages/keep-folder.js' */

/**
 * The scripts of a commit of this program, with the packages of its lock file. Where they are those of this checkout, its packages are used.
 * @param {string} ref what git knows as a commit: a tag, a branch, HEAD~3
 * @param {How} how
 * @returns {Promise<string>} the path of a folder
 * @throws {UsageError} when there is no such commit of perf-battle
 * @throws {UnavailableError} when npm cannot provide its packages
 */
export async function provideCommit(ref, how) {
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

/** @param {string} ref @returns {Promise<string>} its full name */
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
