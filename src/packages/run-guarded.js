import {spawn} from 'node:child_process';
import {untilAborted} from '../measure/bounds.js';
import {sendSignal} from '../measure/processes.js';

const outputCharacters = 64 * 1024;
const graceMs = 2000;

/** Runs a program until it ends. When standard input ends, because its parent was killed, it kills all of its process group. */
const guard = `
exec 3<&0
trap : TERM
"$@" </dev/null 3<&- &
program=$!
{ cat <&3 >/dev/null; kill -KILL 0; } 2>/dev/null >&2 &
watch=$!
wait $program
code=$?
while kill -0 $program 2>/dev/null; do wait $program; code=$?; done
kill $watch
exit $code
`;

/**
 * Runs a program of others to its end. What it starts ends with it: when the signal aborts, when it leaves something running, and when this process is killed.
 * @param {readonly string[]} command @param {AbortSignal} signal
 * @returns {Promise<{code: number | null, stderr: string}>}
 * @throws the signal's reason, when all has ended
 */
export async function runGuarded(command, signal) {
  signal.throwIfAborted();
  // A group of its own: the guard ends that group, and Ctrl-C in a terminal does not reach it before this process ends it.
  const child = spawn('sh', ['-c', guard, 'sh', ...command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr = (stderr + text).slice(-outputCharacters);
  });
  child.stdin.on('error', () => {});
  const kill = (/** @type {NodeJS.Signals} */ name) =>
    child.pid !== undefined && sendSignal(-child.pid, name);
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => kill('SIGKILL'));
    child.once('close', resolve);
  });
  try {
    return {code: await untilAborted(ended, signal), stderr};
  } catch (error) {
    kill('SIGTERM');
    const late = setTimeout(() => kill('SIGKILL'), graceMs);
    await ended.catch(() => {});
    clearTimeout(late);
    throw error;
  }
}
