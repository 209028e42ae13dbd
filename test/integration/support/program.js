import {spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {isAbsolute} from 'node:path';
import {fileURLToPath} from 'node:url';

/** @import {ChildProcess} from 'node:child_process' */

const repository = new URL('../../../', import.meta.url);

/** A program that has not ended after this time hangs. */
export const usualPatienceMs = 360_000;

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal that killed it
 * @property {string} stdout
 * @property {string} stderr
 *
 * @typedef {object} Program
 * @property {ChildProcess} child
 * @property {number} pid
 * @property {() => number} scriptPid pid of the process in which a script of a pair by hand runs once it is ready: a child, where Node.js cannot start
 *   anew in the same process
 * @property {() => string} output so far, of both streams
 * @property {Promise<Ended>} ended rejects when it hangs
 * @property {(pattern: RegExp, withinMs?: number) => Promise<RegExpMatchArray>} says waits for a text on either stream
 */

/**
 * Starts the binary (battle), a half of a transport (tcp-server), or any other script by its path, with a clean environment: without PB_ variables, without forced colors.
 *
 * @param {string} script
 * @param {string[]} parameters
 * @param {{cwd: string, temporary: string, environment: NodeJS.ProcessEnv, wrapper?: string[], node?: string, patienceMs?: number}} place
 *   node: the program; patienceMs: after which it hangs
 * @returns {Program}
 */
export function start(
  script,
  parameters,
  {cwd, temporary, environment, wrapper = [], node = process.execPath, patienceMs = usualPatienceMs},
) {
  const [file, ...words] = isAbsolute(script) ? [script] : programFor(script);
  const command = [...wrapper, node, fileURLToPath(new URL(file, repository)), ...words, ...parameters];
  const child = spawn(command[0], command.slice(1), {
    // Linux shares the CPU among sessions. In one session, brokers of twenty processes of tests beside each other answered too late.
    detached: true,
    cwd,
    env: environmentOf({cwd, temporary, environment}),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return follow(child, [script, ...parameters].join(' '), patienceMs);
}

/**
 * Some transports have scripts for their halves; the binary runs those of all.
 * @param {string} script
 * @returns {string[]}
 */
function programFor(script) {
  const [, transport, role] = /^(.+)-(server|client)$/.exec(script) ?? [];
  if (script === 'battle' || transport === undefined) return ['bin/perf-battle.js'];
  const file = `src/${script}.js`;
  if (!script.startsWith('.') && existsSync(new URL(file, repository))) return [file];
  return ['bin/perf-battle.js', role === 'server' ? 'serve' : 'call', transport];
}

/**
 * Without PB_ variables of the person who runs the tests, and without forced colors. Cores may sleep: loops that keep them awake would delay the tests beside
 * them by 4 ms at each wake-up, because Linux lets them give way within their own session only.
 * @param {{cwd: string, temporary: string, environment: NodeJS.ProcessEnv}} place
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf({cwd, temporary, environment}) {
  return {PATH: process.env.PATH, HOME: cwd, TMPDIR: temporary, PB_CORES: 'sleeping', ...environment};
}

/** @param {ChildProcess} child @param {string} name @param {number} patienceMs @returns {Program} */
function follow(child, name, patienceMs) {
  const said = {stdout: '', stderr: ''};
  /** @type {Set<() => void>} */
  const listeners = new Set();
  for (const stream of /** @type {const} */ (['stdout', 'stderr'])) {
    child[stream]?.setEncoding('utf8').on('data', (text) => {
      said[stream] += text;
      for (const listen of [...listeners]) listen();
    });
  }
  const output = () => `${said.stdout}${said.stderr}`;
  /** @type {Promise<Ended>} */
  const ended = new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} did not end. It printed:\n${output()}`));
    }, patienceMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      resolve({code, signal, ...said});
    });
  });
  ended.catch(() => {});
  const pid = child.pid ?? 0;
  const scriptPid = () =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')[0] || pid);
  return {child, pid, scriptPid, output, ended, says};

  /** @param {RegExp} pattern @param {number} [withinMs] @returns {Promise<RegExpMatchArray>} */
  function says(pattern, withinMs = 60_000) {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = output().match(pattern);
        if (match) finish(() => resolve(match));
      };
      const fail = () =>
        finish(() => reject(new Error(`${name} never printed ${pattern}. It printed:\n${output()}`)));
      const finish = (/** @type {() => void} */ settle) => {
        listeners.delete(look);
        child.removeListener('close', fail);
        clearTimeout(timer);
        settle();
      };
      const timer = setTimeout(fail, withinMs);
      child.once('close', fail);
      listeners.add(look);
      look();
    });
  }
}
