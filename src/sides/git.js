import {execFile} from 'node:child_process';
import {rm} from 'node:fs/promises';
import {promisify} from 'node:util';

const run = promisify(execFile);
const maxOutputBytes = 64 * 1024 * 1024;

/** @param {string} folder in which it runs @param {readonly string[]} words @returns {Promise<string>} what git prints */
export async function git(folder, words) {
  return (await run('git', ['-C', folder, ...words], {maxBuffer: maxOutputBytes})).stdout;
}

/**
 * What of a commit lies below some paths, as files.
 * @param {string} repository
 * @param {{commit: string, paths?: readonly string[], target: string, signal: AbortSignal}} what paths: all by default; target: a folder
 */
export async function extractCommit(repository, {commit, paths = [], target, signal}) {
  // Beside the folder: the commit may have a file of any name.
  const archive = `${target}.tar`;
  try {
    await git(repository, ['archive', '--output', archive, commit, ...paths]);
    await run('tar', ['-xf', archive, '-C', target], {signal});
  } finally {
    await rm(archive, {force: true});
  }
}
