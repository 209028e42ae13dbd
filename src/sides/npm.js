import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import {UnavailableError} from '../errors.js';

const run = promisify(execFile);

/**
 * @param {readonly string[]} words the command and its arguments
 * @param {string} what it installs, for messages
 * @param {{folder: string, signal: AbortSignal}} where
 * @throws {UnavailableError} with npm's reason
 */
export async function npm(words, what, {folder, signal}) {
  await run('npm', [...words, '--prefix', folder, '--no-audit', '--no-fund'], {signal}).catch((cause) => {
    signal.throwIfAborted();
    throw new UnavailableError(`npm could not install ${what}: ${reasonIn(cause)}`, {cause});
  });
}

/**
 * What npm says: the code of its error, and the first sentence of its explanation.
 * @param {{message: string, stderr?: string}} failure
 */
function reasonIn({message, stderr = ''}) {
  const [code, explanation] = stderr
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/^code /, '').replace(/^notarget |^404 /, ''));
  return code === undefined ? message.split('\n')[0] : [code, explanation].filter(Boolean).join(': ');
}
