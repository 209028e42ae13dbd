import {open, readFile} from 'node:fs/promises';
import {TimeLimitError, within} from '../measure/bounds.js';
import {launchChild} from './child.js';
import {poll, startFailed} from './start.js';

/**
 * @import {UnavailableError} from '../errors.js'
 * @import {Child} from './child.js'
 */

/**
 * The program of one node of a broker.
 * @typedef {object} ServerProgram
 * @property {string} label of the kind
 * @property {string} title its name in messages
 * @property {string[]} command
 * @property {string | null} setpriv
 * @property {string} folder that it runs in
 * @property {Record<string, string>} environment all of its variables: none of this process is passed on
 * @property {string} log the path of the file that takes what it prints
 * @property {string} secret masked where lines of the log are shown
 */

const TAIL_LINES = 15;

/**
 * Starts the program, and waits until it answers.
 * @template Answer
 * @param {ServerProgram} program
 * @param {{ask: (signal: AbortSignal) => Promise<Answer>, timeoutMs: number}} readiness ask: tried until it succeeds
 * @param {AbortSignal} signal ends the start; nothing of it runs when the promise rejects
 * @returns {Promise<Omit<Child, 'succeeded'> & {answer: Answer}>} ended has the tail of its log
 * @throws {UnavailableError} with the tail of its log
 */
export async function startServer(program, readiness, signal) {
  const {title, command, setpriv, folder: cwd, environment: env, log} = program;
  const output = await open(log, 'a', 0o600);
  const child = launchChild(title, command, {setpriv, cwd, env, output: output.fd});
  const ended = child.ended.then(async (reason) => `${reason}. ${await lastLines(program)}`);
  try {
    const answer = await untilReady(program, {...readiness, ended}, signal);
    return {pid: child.pid, answer, ended, end: child.end};
  } catch (error) {
    await child.end();
    throw error;
  } finally {
    await output.close();
  }
}

/**
 * @template Answer
 * @param {ServerProgram} program
 * @param {{ask: (signal: AbortSignal) => Promise<Answer>, timeoutMs: number, ended: Promise<string>}} readiness
 * @param {AbortSignal} signal
 */
async function untilReady(program, {ask, timeoutMs, ended}, signal) {
  try {
    return await within(timeoutMs, signal, (soon, giveUp) => {
      ended.then((reason) => giveUp(startFailed(program.label, reason)));
      return poll(soon, () => ask(soon));
    });
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error;
    const late = `${program.title} did not answer within ${timeoutMs / 1000} s. ${await lastLines(program)}`;
    throw startFailed(program.label, late);
  }
}

/**
 * The tail of a program's log, for a message.
 * @param {Pick<ServerProgram, 'log' | 'secret'>} program
 */
export async function lastLines({log, secret}) {
  const text = await readFile(log, 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return `The last lines of its log:\n${lines.slice(-TAIL_LINES).join('\n').replaceAll(secret, '***')}`;
}
