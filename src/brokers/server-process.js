import {spawn} from 'node:child_process';
import {open, readFile} from 'node:fs/promises';
import {setTimeout as sleep} from 'node:timers/promises';
import {headOfLog, UnavailableError} from '../errors.js';
import {listenAddressFor} from '../hosts/host.js';
import {TimeLimitError, untilAborted, within} from '../measure/bounds.js';
import {ownAddresses} from '../measure/network.js';

/** @import {Child} from './kind.js' */

/**
 * The program of one node of a broker.
 * @typedef {object} ServerProgram
 * @property {string} label the label of the kind
 * @property {string} title the name of the program in messages
 * @property {string[]} command
 * @property {string | null} setpriv
 * @property {string} folder the working directory
 * @property {Record<string, string>} environment all environment variables: this process passes on none of its own
 * @property {string} log the path of the file for the output
 * @property {string} secret is masked in lines of the log that messages show
 */

const TAIL_LINES = 15;

/** Ends a start that hangs: a program that ended is noticed at once. A Java virtual machine needs a minute on shared cores. */
export const startTimeoutMs = 180_000;

/**
 * Starts the program, and waits until it answers.
 * @template Answer @param {ServerProgram} program
 * @param {(signal: AbortSignal) => Promise<Answer>} ask is called until it succeeds
 * @param {AbortSignal} signal aborts the start; the program has ended when the promise rejects
 * @returns {Promise<Omit<Child, 'succeeded'> & {answer: Answer}>} ended: with the tail of the log
 * @throws {UnavailableError} with the tail of the log
 */
export async function startServer(program, ask, signal) {
  const {title, command, setpriv, folder: cwd, environment: env, log} = program;
  const output = await open(log, 'a', 0o600);
  const child = launchChild(title, command, {setpriv, cwd, env, output: output.fd});
  const ended = child.ended.then(async (reason) => `${reason}. ${await lastLines(program)}`);
  try {
    const answer = await untilReady(program, {ask, ended}, signal);
    return {pid: child.pid, answer, ended, end: child.end};
  } catch (error) {
    await child.end();
    throw error;
  } finally {
    await output.close();
  }
}

/**
 * Runs a program to its end that the node needs before its start.
 * @param {ServerProgram} program
 * @param {AbortSignal} signal ends the program; it has ended when the promise rejects
 * @throws {UnavailableError} with the tail of the log, when the program fails or takes longer
 */
export async function runToEnd(program, signal) {
  const {label, title, command, setpriv, folder: cwd, environment: env, log} = program;
  const output = await open(log, 'a', 0o600);
  const child = launchChild(title, command, {setpriv, cwd, env, output: output.fd});
  try {
    if (await within(startTimeoutMs, signal, (soon) => untilAborted(child.succeeded, soon))) return;
    throw startFailed(label, `${await child.ended}. ${await lastLines(program)}`);
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    throw startFailed(
      label,
      `${title} did not end within ${startTimeoutMs / 1000} s. ${await lastLines(program)}`,
    );
  } finally {
    await child.end();
    await output.close();
  }
}

/**
 * @template Answer @param {ServerProgram} program
 * @param {{ask: (signal: AbortSignal) => Promise<Answer>, ended: Promise<string>}} readiness @param {AbortSignal} signal
 */
async function untilReady(program, {ask, ended}, signal) {
  try {
    return await within(startTimeoutMs, signal, (soon, giveUp) => {
      ended.then((reason) => giveUp(startFailed(program.label, reason)));
      return poll(soon, () => ask(soon));
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    const late = `${program.title} did not answer within ${startTimeoutMs / 1000} s. ${await lastLines(program)}`;
    throw startFailed(program.label, late);
  }
}

/** The tail of a program's log, for a message. @param {Pick<ServerProgram, 'log' | 'secret'>} program */
export async function lastLines({log, secret}) {
  const text = await readFile(log, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return `${headOfLog}\n${lines.slice(-TAIL_LINES).join('\n').replaceAll(secret, '***')}`;
}

/**
 * Starts a program that must not outlive this process. With `setpriv`, the kernel kills the program when this process
 * ends, even by SIGKILL, and also after a script has replaced itself by another program.
 * @param {string} name the name in messages
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

const POLL_MS = 50;

/**
 * Repeats an attempt until it succeeds. Only the signal bounds the polling, even while an attempt hangs.
 * @template T
 * @param {AbortSignal} signal ends the polling; the promise rejects with its reason
 * @param {() => Promise<T>} attempt
 */
export async function poll(signal, attempt) {
  for (;;) {
    try {
      return await untilAborted(attempt(), signal);
    } catch {
      await sleep(POLL_MS, undefined, {signal}).catch(() => {});
      signal.throwIfAborted();
    }
  }
}

/** @param {string} label the label of the kind @param {string} reason */
export function startFailed(label, reason) {
  return new UnavailableError(`A private ${label} node could not be started: ${reason}`, {
    code: 'PB_BROKER_UNAVAILABLE',
  });
}

/**
 * @param {string} hostname the name by which the roles reach a broker on this host
 * @returns {string} the address that the broker listens on
 */
export function listenAddressOf(hostname) {
  return listenAddressFor(hostname, ownAddresses());
}
