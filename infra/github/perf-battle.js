import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

const program = fileURLToPath(new URL('../../bin/perf-battle.js', import.meta.url));

/**
 * Runs the perf-battle of this checkout to its end. Its errors and its tables for people go into the log.
 * @param {readonly string[]} words
 * @param {{cwd?: string, environment?: NodeJS.ProcessEnv, output?: number | 'pipe'}} [how] output: where its standard output goes, by default what is
 *   returned; environment: all of it
 * @returns {Promise<{code: number, stdout: string}>} a signal that ended it is a code of 1
 */
export async function runPerfBattle(words, {cwd, environment = process.env, output = 'pipe'} = {}) {
  const child = spawn(process.execPath, [program, ...words], {
    ...(cwd !== undefined && {cwd}),
    env: environment,
    stdio: ['ignore', output, 'inherit'],
  });
  // It ends what it started before it ends.
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM']);
  for (const signal of signals) process.on(signal, pass);
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  try {
    const [code] = await once(child, 'close');
    return {code: code ?? 1, stdout};
  } finally {
    for (const signal of signals) process.off(signal, pass);
  }
}

/** The environment without the settings of battles, which commands that read results would take, too. */
export function withoutSettings() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PB_')));
}
