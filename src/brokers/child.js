import {spawn} from 'node:child_process';

/**
 * @typedef {object} Child
 * @property {number} pid 0 when it could not be started
 * @property {Promise<string>} ended resolves with how it ended, as a clause: "epmd (pid 7) ended with exit code 1"
 * @property {Promise<boolean>} succeeded whether it ended by itself with exit code 0
 * @property {() => Promise<void>} end by SIGKILL; resolves when it has ended
 */

/**
 * Starts a program that must not outlive this process. Where `setpriv` exists, the kernel kills the program when this
 * process ends, even by SIGKILL. That still holds after a script has replaced itself by another program.
 * @param {string} name for messages
 * @param {string[]} command
 * @param {{setpriv: string | null, cwd: string, env: Record<string, string>, output: number}} options
 *   output: the file descriptor for its standard output and standard error
 * @returns {Child}
 */
export function launchChild(name, command, {setpriv, cwd, env, output}) {
  const [file, ...parameters] = setpriv ? [setpriv, '--pdeathsig', 'KILL', ...command] : command;
  const child = spawn(file, parameters, {cwd, env, stdio: ['ignore', output, output]});
  const pid = child.pid ?? 0;
  /** @type {Promise<string>} */
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve(`${name} could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      resolve(`${name} (pid ${pid}) ${signal ? `was ended by ${signal}` : `ended with exit code ${code}`}`);
    });
  });
  /** @type {Promise<boolean>} */
  const succeeded = new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return {pid, ended, succeeded, end};
}
