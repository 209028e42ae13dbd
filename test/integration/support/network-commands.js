import {execFile} from 'node:child_process';
import {dirname} from 'node:path';

/** The hosts' PATH: the Node.js that runs the tests comes first, then what sshd sets for root. */
export const searchPath = [
  dirname(process.execPath),
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
].join(':');

const maxOutputBytes = 64 * 1024 * 1024;

/** @typedef {{code: number | null, stdout: string, stderr: string}} Outcome code: null when a signal killed it */

/**
 * Runs a program to its end, without input.
 * @param {string} program
 * @param {readonly string[]} parameters
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {Promise<Outcome>}
 * @throws when it cannot be started
 */
export function run(program, parameters, environment = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      parameters,
      {cwd: '/', env: {PATH: searchPath, ...environment}, maxBuffer: maxOutputBytes},
      (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        if (typeof code === 'string') reject(error);
        else resolve({code: code ?? null, stdout, stderr});
      },
    );
    child.stdin?.on('error', () => {}).end();
  });
}

/**
 * Runs a program that has to succeed.
 * @param {string} program
 * @param {string[]} parameters
 * @returns {Promise<string>} its output
 */
export async function mustRun(program, ...parameters) {
  const {code, stdout, stderr} = await run(program, parameters);
  if (code === 0) return stdout;
  throw new Error(`${[program, ...parameters].join(' ')} ended with ${code}: ${stderr.trim()}`);
}
