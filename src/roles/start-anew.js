import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {endUnheard} from '../ending/end-process.js';
import {keptGarbage, keptMemory} from '../measure/kept-memory.js';

/** Whether this process was started with the settings by which a role of a battle keeps freed memory. */
export function keepsMemory() {
  return (
    keptGarbage.every((flag) => process.execArgv.includes(flag)) &&
    Object.entries(keptMemory).every(([name, value]) => process.env[name] === value)
  );
}

/**
 * Runs this program anew, with the same words, so that it keeps memory. Node.js puts it in place of this process, from 22.15 on. Before, it is a child with
 * the standard streams of this process: signals are passed on, and it ends with this process, however that ends.
 *
 * @param {AbortSignal} signal aborted by the first signal that this process gets
 * @returns {Promise<number>} the exit code
 */
export async function runKeepingMemory(signal) {
  const words = [...keptGarbage, ...process.execArgv, ...process.argv.slice(1)];
  const env = {...process.env, ...keptMemory};
  // The types are those of the oldest version.
  const {execve} =
    /** @type {{execve?: (file: string, words: string[], env: NodeJS.ProcessEnv) => never}} */ (process);
  execve?.(process.execPath, [process.execPath, ...words], env);
  // In a session of its own it does not get a Ctrl-C twice.
  const child = spawn(process.execPath, words, {
    ...{stdio: ['inherit', 'inherit', 'inherit', 'ipc'], detached: true, env},
  });
  const passOn = () => child.kill(signal.reason.signal);
  if (signal.aborted) passOn();
  signal.addEventListener('abort', passOn, {once: true});
  const [code, endedBy] = await once(child, 'exit');
  if (endedBy !== null) process.kill(process.pid, endedBy);
  return code;
}

/** Ends this process at once when the one that it runs for has ended. */
export function endWithParent() {
  process.once('disconnect', endUnheard);
  process.channel?.unref();
}
