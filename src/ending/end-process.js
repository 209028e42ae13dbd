import {closeSync, readdirSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {fieldsAfterName, readSystemFile} from '../measure/system.js';

/** The event loop is idle for this time between two readings of the other threads. */
const idleMs = 10;
/** The wait on a system that does not show threads; a compilation of V8 usually ends within this time. */
const blindMs = 100;
/** Compilations end within this time, even on a busy host. */
const maxMs = 2000;

/**
 * Ends this process with `process.exitCode`, even if sockets or timers are still open. `process.exit()` joins the compiler
 * threads of V8. A compiler thread may wait for a garbage collection, which only the main thread can perform: then the process
 * never ends, not even by SIGTERM (https://github.com/nodejs/node/issues/54918). Therefore this function disables further
 * compilations, and leaves the event loop idle until the running compilations have ended.
 */
export async function endProcess({isHungUp = false} = {}) {
  // An error of a library in the idle time does not change the outcome.
  process.on('uncaughtException', () => {});
  await untilCompiled();
  if (isHungUp) leaveTerminal();
  process.exit();
}

/** Ends this process at once, even if `process.exit()` would hang. Its parent has ended, so that the exit code does not matter. */
export function endUnheard() {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * Closes a terminal that has hung up. Node.js 20 restores the settings of its terminals at its end, and aborts (SIGABRT) if it
 * cannot restore them.
 */
export function leaveTerminal() {
  for (const stream of [0, 1, 2]) {
    try {
      closeSync(stream);
    } catch {
      // The stream was closed before.
    }
  }
}

/** Disables further background compilations of V8, and resolves when the running ones have ended. */
export async function untilCompiled() {
  for (const compiler of ['opt', 'maglev', 'sparkplug']) setFlagsFromString(`--no-${compiler}`);
  const lookedAt = performance.now();
  let before = otherThreads();
  if (before === null) return await sleep(blindMs);
  while (performance.now() - lookedAt < maxMs) {
    await sleep(idleMs);
    const now = otherThreads();
    // S: the thread sleeps; R: the thread runs, or waits for a core.
    if (now === before && !/^[^S]/m.test(before ?? '')) return;
    before = now;
  }
}

/**
 * The other threads of this process: a line for each with its state, its run time, and how often it ran.
 * @returns {string | null} null if the system does not show threads
 */
function otherThreads() {
  if (readSystemFile('/proc/self/schedstat') === null) return null;
  return readdirSync('/proc/self/task')
    .filter((thread) => thread !== String(process.pid))
    .map((thread) => `${stateOf(thread)} ${readSystemFile(`/proc/self/task/${thread}/schedstat`)}`)
    .join('');
}

/** @param {string} thread */
function stateOf(thread) {
  return fieldsAfterName(readSystemFile(`/proc/self/task/${thread}/stat`) ?? '')[0];
}

/**
 * Makes the exit code of this process a failure until its outcome is known. Node.js ends a process early if a promise never
 * settles and no socket or timer is open; such an end is no success.
 * @param {(message: string) => void} report shows a message about an early end
 * @returns {(exitCode: number) => void} sets the outcome
 */
export function failUntilSettled(report) {
  process.exitCode = 1;
  const onEmpty = () =>
    report(
      'This process ended before its work was done, because nothing was left that it could wait for. That is a defect of perf-battle or of a library.',
    );
  process.once('beforeExit', onEmpty);
  return (exitCode) => {
    process.removeListener('beforeExit', onEmpty);
    process.exitCode = exitCode;
  };
}
