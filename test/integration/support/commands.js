import {fork} from 'node:child_process';
import {fileURLToPath} from 'node:url';

/**
 * @import {ChildProcess} from 'node:child_process'
 * @import {Readable} from 'node:stream'
 * @import {Ended} from './program.js'
 *
 * @typedef {object} Command
 * @property {readonly string[]} words
 * @property {string} cwd
 * @property {NodeJS.ProcessEnv} environment all of it
 */

const script = fileURLToPath(new URL('command-process.js', import.meta.url));
/** The process prints it on both streams after a command. No command prints it. */
export const end = '\0';

/** Processes that run no command. They end with this one. @type {ChildProcess[]} */
const idle = [];

/**
 * Runs a command to its end in a process that has run others before.
 * @param {Command} command
 * @param {AbortSignal} signal kills the process
 * @returns {Promise<Ended>} rejects if the process ends meanwhile, or if the command leaves open what would keep the binary from ending
 */
export async function runCommand(command, signal) {
  const child = idle.pop() ?? startProcess();
  const kill = () => child.kill('SIGKILL');
  if (signal.aborted) kill();
  signal.addEventListener('abort', kill);
  child.ref();
  try {
    const ended = await follow(child, command);
    idle.push(child);
    return ended;
  } catch (error) {
    kill();
    throw error;
  } finally {
    signal.removeEventListener('abort', kill);
    child.unref();
  }
}

function startProcess() {
  const child = fork(script, {
    detached: true,
    cwd: '/',
    env: {PATH: process.env.PATH},
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of outputsOf(child)) stream.setEncoding('utf8');
  // None of it keeps this process from ending.
  const handles = /** @type {unknown[]} */ ([child, child.channel, child.stdout, child.stderr]);
  for (const handle of /** @type {{unref: () => void}[]} */ (handles)) handle.unref();
  return child;
}

/** @param {ChildProcess} child */
const outputsOf = ({stdout, stderr}) => /** @type {Readable[]} */ ([stdout, stderr]);

/** @param {ChildProcess} child @param {Command} command @returns {Promise<Ended>} */
function follow(child, command) {
  return new Promise((resolve, reject) => {
    const texts = ['', ''];
    /** @type {{code: number, open: string[]} | undefined} */
    let answer;
    const outputs = outputsOf(child);
    for (const [index, stream] of outputs.entries())
      stream.on('data', (text) => {
        texts[index] += text;
        settle();
      });
    child.on('message', (/** @type {{code: number, open: string[]}} */ message) => {
      answer = message;
      settle();
    });
    child.on('close', () =>
      reject(new Error(`${command.words.join(' ')} did not end. It printed:\n${texts.join('')}`)),
    );
    child.send(command);

    function settle() {
      if (answer === undefined || !texts.every((text) => text.endsWith(end))) return;
      child.removeAllListeners('message').removeAllListeners('close');
      for (const stream of outputs) stream.removeAllListeners('data');
      const [stdout, stderr] = texts.map((text) => text.slice(0, -end.length));
      const {code, open} = answer;
      if (open.length > 0)
        return reject(
          new Error(`${command.words.join(' ')} left open: ${open}. It printed:\n${texts.join('')}`),
        );
      resolve({code, signal: null, stdout, stderr});
    }
  });
}
