import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';

/**
 * @typedef {object} Remote
 * @property {string} url of the repository
 * @property {string} branch
 * @property {string} token empty: git finds credentials by itself, or needs none
 *
 * @typedef {(...words: string[]) => Promise<string>} Git runs in a repository, and returns what it printed
 */

const run = promisify(execFile);
const timeoutMs = 120_000;

/** Each time, one of the runs that push at once succeeds. */
const maxAttempts = 10;

/**
 * Reads a file of a branch.
 * @param {Remote} remote
 * @param {string} file its path
 * @returns {Promise<string | null>} null if there is no such branch or file
 */
export async function readFromBranch(remote, file) {
  return await inCopy(remote, async (git) => {
    const names = (await git('ls-files', '--', file)).split('\n');
    return names.includes(file) ? await git('show', `HEAD:${file}`) : null;
  });
}

/**
 * Changes a branch in a commit of its own. If another run pushes first, the change is made again upon what that run pushed. A branch that is not
 * there is created, with no other history.
 * @param {Remote} remote
 * @param {string} message of the commit
 * @param {(folder: string) => Promise<void>} change gets a folder with the files of the branch
 * @throws {Error} when it cannot be pushed
 */
export async function changeBranch(remote, message, change) {
  for (let attempt = 1; ; attempt += 1) {
    const refusal = await inCopy(remote, async (git, folder) => {
      await change(folder);
      await git('add', '--all');
      await git('commit', '--quiet', '--message', message);
      try {
        await git('push', '--quiet', 'origin', `HEAD:refs/heads/${remote.branch}`);
        return null;
      } catch (error) {
        return /** @type {Error} */ (error);
      }
    });
    if (refusal === null) return;
    if (attempt === maxAttempts || !/rejected|non-fast-forward|cannot lock ref/.test(refusal.message))
      throw new Error(
        `The branch ${remote.branch} could not be pushed. The job needs the permission contents: write`,
        {cause: refusal},
      );
    await sleep(500 * attempt * Math.random());
  }
}

/**
 * @template Result
 * @param {Remote} remote
 * @param {(git: Git, folder: string) => Promise<Result>} use gets a repository with the newest commit of the branch; with none if there is no such branch
 * @returns {Promise<Result>}
 */
async function inCopy({url, branch, token}, use) {
  const folder = await mkdtemp(join(tmpdir(), 'perf-battle-branch-'));
  /** @type {Git} */
  const git = async (...words) => {
    const {stdout} = await run('git', words, {
      cwd: folder,
      env: environmentOf(url, token),
      timeout: timeoutMs,
      maxBuffer: 256 * 1024 ** 2,
    });
    return stdout;
  };
  try {
    await git('check-ref-format', '--branch', branch);
    await git('init', '--quiet', '--template=', '--initial-branch=baseline');
    await git('remote', 'add', 'origin', url);
    const there = await git('ls-remote', 'origin', `refs/heads/${branch}`);
    if (there !== '') {
      await git('fetch', '--quiet', '--depth=1', 'origin', `refs/heads/${branch}`);
      await git('reset', '--quiet', '--hard', 'FETCH_HEAD');
    }
    return await use(git, folder);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}

const name = 'github-actions[bot]';
const email = '41898282+github-actions[bot]@users.noreply.github.com';

/**
 * The token is no word of a command line, which other processes can read.
 * @param {string} url
 * @param {string} token
 * @returns {NodeJS.ProcessEnv}
 */
function environmentOf(url, token) {
  const {GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, ...others} = process.env;
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  const settings = [
    ['commit.gpgSign', 'false'],
    ...(token === '' ? [] : [[`http.${url}.extraheader`, `AUTHORIZATION: basic ${basic}`]]),
  ];
  return {
    ...others,
    ...{GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email},
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
