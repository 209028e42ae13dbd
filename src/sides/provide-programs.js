import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {basename, join} from 'node:path';
import {UsageError} from '../errors.js';
import {quote} from '../options/shorten.js';
import {keepFolder} from '../packages/keep-folder.js';
import {npm} from '../packages/npm.js';
import {extractCommit, git} from './git.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {How} from '../packages/keep-folder.js'
 */

/**
 * The folder that corresponds to the current one in a commit of its repository, in which programs of other authors start. Where it has a
 * lock file of npm, it gets the packages of that file. What else they need, such as a compiler's output, their commands must make.
 *
 * @param {string} ref what git knows as a commit: a tag, a branch, HEAD~3
 * @param {How} how
 * @returns {Promise<string>} its path
 * @throws {UsageError} when there is no such commit
 * @throws {UnavailableError} when npm cannot provide its packages
 */
export async function providePrograms(ref, how) {
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
 * Finds a commit of the repository of the current folder, which must be in it.
 * @param {string} ref
 * @returns {Promise<{repository: string, within: string, commit: string}>} within: the current folder
 * @throws {UsageError} when there is none
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
