import {closeSync, readdirSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {fieldsAfterName, readSystemFile} from '../measure/system.js';

/** How long the event loop is left idle between two looks at the other threads. */
const idleMs = 10;
/** Where the system does not show its threads, a compilation of V8 usually ends within this time. */
const blindMs = 100;
/** Even on a busy host, compilations end within this time. */
const maxMs = 2000;

/**
 * Ends this process with `process.exitCode`, even if sockets or timers are still open. `process.exit()` joins the threads in which V8
 * compiles. One of them may wait for a garbage collection, which only the main thread could do: then the process never ends, and SIGTERM does not end it either
 * (https://github.com/nodejs/node/issues/54918). So no more compilations are begun, and the event loop is idle until those under way are done.
 */
export async function endProcess({isHungUp = false} = {}) {
  // The outcome is known: what a library throws while it is idle does not change it.
  process.on('uncaughtException', () => {});
  await untilCompiled();
  if (isHungUp) leaveTerminal();
  process.exit();
}

/** Ends this process at once, even where `process.exit()` would hang. For a process whose parent is gone, so that its exit code does not matter. */
export function endUnheard() {
  process.kill(process.pid, 'SIGKILL');
}

/**
 * Lets go of a terminal that has hung up. At its end, Node.js 20 restores the settings of each terminal that it began with, and aborts (SIGABRT) if that
 * fails.
 */
export function leaveTerminal() {
  for (const stream of [0, 1, 2]) {
    try {
      closeSync(stream);
    } catch {
      // It was closed before.
    }
  }
}

/** Resolves when V8 compiles nothing in the background, and begins nothing more. */
export async function untilCompiled() {
  for (const compiler of ['opt', 'maglev', 'sparkplug']) setFlagsFromString(`--no-${compiler}`);
  const lookedAt = performance.now();
  let before = otherThreads();
  if (before === null) return await sleep(blindMs);
  while (performance.now() - lookedAt < maxMs) {
    await sleep(idleMs);
    const now = otherThreads();
    // S: asleep; R: it runs, or waits for a core.
    if (now === before && !/^[^S]/m.test(before ?? '')) return;
    before = now;
  }
}

/**
 * What the other threads of this process have done so far: for each a line with its state, and with how long and how often it ran.
 * @returns {string | null} null where the system does not show it
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
 * Makes the exit code of this process a failure until its outcome is known. When a promise is never settled and nothing else is open, such as a socket
 * or a timer, Node.js ends the process early; that is no success.
 * @param {(message: string) => void} report shows such an end
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
