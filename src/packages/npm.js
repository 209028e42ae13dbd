import {RunError, UnavailableError} from '../errors.js';
import {runGuarded} from './run-guarded.js';

/** What is wrong with this host, not with npm's registry. */
const ofThisHost = /^(ENOSPC|EDQUOT|EROFS|EACCES|EPERM)\b/;

/**
 * @param {readonly string[]} words the command and its arguments
 * @param {string} what it installs, for messages
 * @param {{folder: string, signal: AbortSignal}} where
 * @throws {UnavailableError} with npm's reason
 * @throws {RunError} when a disk of this host is full or not writable
 */
export async function npm(words, what, {folder, signal}) {
  const command = ['npm', ...words, '--prefix', folder, '--no-audit', '--no-fund'];
  const {code, stderr} = await runGuarded(command, signal);
  if (code === 0) return;
  const reason = reasonIn(stderr) ?? `it ended with exit code ${code}`;
  const message = `npm could not install ${what}: ${reason}`;
  throw ofThisHost.test(reason) ? new RunError(message) : new UnavailableError(message);
}

/**
 * What npm says: the code of its error, and the first sentence of its explanation.
 * @param {string} stderr
 * @returns {string | undefined} the last line, where npm itself cannot run
 */
function reasonIn(stderr) {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const [code, explanation] = lines
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/^code /, '').replace(/^notarget |^404 /, ''));
  return code === undefined ? lines.at(-1) : [code, explanation].filter(Boolean).join(': ');
}
