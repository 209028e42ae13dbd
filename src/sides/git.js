import {execFile} from 'node:child_process';
import {rm} from 'node:fs/promises';
import {promisify} from 'node:util';
import {RunError} from '../errors.js';
import {runGuarded} from '../packages/run-guarded.js';

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
 * @throws {RunError} when it cannot be written there
 */
export async function extractCommit(repository, {commit, paths = [], target, signal}) {
  // Beside the folder: the commit may have a file of any name.
  const archive = `${target}.tar`;
  try {
    await mustRun(['git', '-C', repository, 'archive', '--output', archive, commit, ...paths], signal);
    await mustRun(['tar', '-xf', archive, '-C', target], signal);
  } finally {
    await rm(archive, {force: true});
  }
}

/** @param {readonly string[]} command @param {AbortSignal} signal @throws {RunError} with what it printed last */
async function mustRun(command, signal) {
  const {code, stderr} = await runGuarded(command, signal);
  if (code === 0) return;
  const reason = stderr.trim().split('\n').at(-1) || `it ended with exit code ${code}`;
  throw new RunError(`${command[0]} could not extract a commit: ${reason}`);
}
