import {setTimeout as sleep} from 'node:timers/promises';

/**
 * Ends a process by steps, each firmer than the one before it: a request, SIGTERM, SIGKILL. Each but the last has its time to work.
 * @param {Promise<unknown>} exited settles when the process is gone
 * @param {readonly (() => void)[]} steps the last one ends it for certain
 * @param {number} graceMs between one step and the next
 * @throws what `exited` rejects with
 */
export async function endInSteps(exited, steps, graceMs) {
  for (const step of steps.slice(0, -1)) {
    step();
    if (await settlesWithin(exited, graceMs)) return;
  }
  steps.at(-1)?.();
  await exited;
}

/** @param {Promise<unknown>} promise @param {number} ms */
async function settlesWithin(promise, ms) {
  const over = new AbortController();
  const late = sleep(ms, false, {signal: over.signal}).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    over.abort();
  }
}
